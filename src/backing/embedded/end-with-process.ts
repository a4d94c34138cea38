import type { ChildProcess } from 'node:child_process';
import process from 'node:process';
import { exitCodeOf } from '../../lib/exit-code.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Stops a PostgreSQL as soon as this process exits, even by a signal. Because of its own process group, Ctrl-C does
 * not reach it, so it would otherwise keep running with nobody to stop it. A service that is started again waits
 * until it has stopped.
 *
 * @returns a function after which it keeps running.
 */
export function endWithProcess(postgres: ChildProcess): () => void {
  const stop = () => postgres.kill('SIGINT'); // A fast shutdown: running transactions are rolled back.
  const onSignal = (signal: NodeJS.Signals) => {
    // If other work handles the signal, it ends in its own time.
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
