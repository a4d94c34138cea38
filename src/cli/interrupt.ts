import process from 'node:process';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What a shell expects of a command that was interrupted. */
export const interruptedCode = 130;

/**
 * Runs work that ends cleanly when it is interrupted: Ctrl-C, or a signal, fires its `signal`. A second one ends the
 * process at once.
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
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}
