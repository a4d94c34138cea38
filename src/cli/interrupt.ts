import process from 'node:process';
import { SetupError } from '../lib/errors.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Exit code that shells expect of an interrupted command. */
export const interruptedCode = 130;

/** Ends an interrupted command; the message says what became of its work. */
export class InterruptedError extends SetupError {}

/**
 * Runs work that ends cleanly when interrupted: Ctrl-C or a signal fires its `signal`. A second one exits the process at
 * once.
 *
 * @throws InterruptedError if the work then throws the reason of its signal
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupt = new AbortController();
  const onSignal = () => {
    if (interrupt.signal.aborted) process.exit(interruptedCode);
    interrupt.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await work(interrupt.signal);
  } catch (error) {
    const isInterrupt = interrupt.signal.aborted && error instanceof Error && error.name === 'AbortError';
    throw isInterrupt ? new InterruptedError('Interrupted.') : error;
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/** Returns a signal that fires when nobody reads standard output any more, as after `| head -1`. */
export function readersGone(): AbortSignal {
  const gone = new AbortController();
  process.stdout.once('error', () => gone.abort());
  return gone.signal;
}
