import process from 'node:process';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Exit code that shells expect of an interrupted command. */
export const interruptedCode = 130;

/**
 * Runs work that ends cleanly when interrupted: Ctrl-C or a signal fires its `signal`. A second one exits the process at
 * once.
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
