import process from 'node:process';

/** What would have ended the process, had it been the service's own. */
export type ProcessFaults = Readonly<{ found: unknown[]; stop(): void }>;

/** Collects errors that nobody caught and rejections that nobody awaited, until it is stopped. */
export function collectProcessFaults(): ProcessFaults {
  const found: unknown[] = [];
  const collect = (error: unknown) => void found.push(error);
  const events = ['uncaughtException', 'unhandledRejection'] as const;
  for (const event of events) process.on(event, collect);
  return {
    found,
    stop() {
      for (const event of events) process.off(event, collect);
    },
  };
}
