import { isUnavailable } from '../../backing/index.ts';
import type { Database } from '../../backing/index.ts';
import type { Logger } from '../../observability/logger.ts';

/** Logs failures that are soon retried. An unavailable database is logged only once, everything else each time. */
export function createFaultReporter(
  { database, logger }: Readonly<{ database: Database; logger: Logger }>,
  what: string,
): (error: unknown) => void {
  return (error) => {
    if (isUnavailable(error)) database.outage.meet(error);
    else logger.warn({ error: String(error) }, what);
  };
}
