import type { ChildProcess } from 'node:child_process';
import process from 'node:process';
import { exitCodeOf } from '../../lib/exit-code.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Stops a PostgreSQL as soon as this process exits, also by a signal. Its own process group keeps Ctrl-C from it, so it
 * would run on without anyone to stop it. A service that is started again waits until it has stopped.
 *
 * @returns a function after which it runs on.
 */
export function endWithProcess(postgres: ChildProcess): () => void {
  const stop = () => postgres.kill('SIGINT'); // A fast shutdown: running transactions are rolled back.
  const onSignal = (signal: NodeJS.Signals) => {
    // Work that handles the signal itself ends in its own time.
    if (process.listenerCount(signal) === 1) process.exit(exitCodeOf(signal));
  };
  process.on('exit', stop);
  for (const signal of signals) process.on(signal, onSignal);
  const letGo = () => {
    process.off('exit', stop);
    for (const signal of signals) process.off(signal, onSignal);
  };
  postgres.once('exit', letGo);
  return letGo;
}
