import { isUnavailable } from '../backing/index.ts';
import type { Database } from '../backing/index.ts';
import type { Logger } from '../observability/logger.ts';

/** Tells of what failed and is tried again soon: each time, but that the database is away only once. */
export function faultTeller(
  { database, logger }: Readonly<{ database: Database; logger: Logger }>,
  what: string,
): (error: unknown) => void {
  return (error) => {
    if (isUnavailable(error)) database.outage.meet(error);
    else logger.warn({ error: String(error) }, what);
  };
}
