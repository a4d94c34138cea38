import process from 'node:process';
import type { RequestInProgress } from '../http/connection/in-progress.ts';
import type { Logger } from '../observability/logger.ts';

/** Exit code after an unexpected error: that of internal software errors in sysexits.h. */
const crashCode = 70;
/** Time for running requests to end after an uncaught error. */
const drainMs = 500;
/** Maximum requests that the log lists. */
const maxNamed = 20;

/** The parts of the service that a crash affects. */
type Crashing = Readonly<{
  inProgress(): readonly RequestInProgress[];
  /** Accepts no more requests; resolves when none is running. */
  drain(): Promise<void>;
}>;

/**
 * Ends the process after an uncaught error, because its state is unknown. The log contains the error and the running
 * requests, one of which caused it; they get a moment to end. Accepted work is in the database, and the next process
 * continues it.
 *
 * @returns a function that sets the service to drain.
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
