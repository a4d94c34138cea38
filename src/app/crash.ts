import process from 'node:process';
import type { RequestInProgress } from '../http/in-progress.ts';
import type { Logger } from '../observability/logger.ts';

/** Code of a process that an error of its own ended: that of internal software errors in sysexits.h. */
export const crashCode = 70;
/** How long requests under way may take to end after an error that nobody caught. */
const drainMs = 500;
/** Requests that the log names. */
const maxNamed = 20;

/** What ends with the process. */
export type Crashing = Readonly<{
  inProgress(): readonly RequestInProgress[];
  /** Takes no more requests; resolves when none is under way. */
  drain(): Promise<void>;
}>;

/**
 * Ends the process after an error that nobody caught: what it was doing is unknown from then on. The log names the error
 * and the requests under way, one of which it belongs to; those may still end, for a moment. What was accepted lies in the
 * database, where the next process goes on with it.
 *
 * @returns how to say what is to be drained, once there is something.
 */
export function endOnUncaughtErrors(logger: Logger): (service: Crashing) => void {
  let service: Crashing | null = null;
  let isEnding = false;
  process.on('uncaughtException', (error: unknown, origin) => {
    const requests = service?.inProgress() ?? [];
    logger.fatal(
      {
        error: error instanceof Error ? error.stack : String(error),
        origin,
        requestsInProgress: requests.length,
        requests: requests.slice(0, maxNamed),
      },
      'uncaught error; the process ends',
    );
    if (isEnding) return;
    isEnding = true;
    setTimeout(end, drainMs);
    Promise.resolve(service?.drain()).then(end, end);
  });
  return (running) => (service = running);
}

function end(): void {
  process.exit(crashCode);
}
