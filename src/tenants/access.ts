import type { Database, Notifications } from '../backing/index.ts';
import type { Logger } from '../observability/logger.ts';
import type { Rates } from '../config/rates.ts';
import { createAuthenticator } from './authenticate.ts';
import type { Authenticator } from './authenticate.ts';
import { createJournal } from './journal.ts';
import type { Journal } from './journal.ts';
import { createLimiter } from './limiter.ts';
import type { Limiter } from './limiter.ts';

/** Authentication, authorization, rate limits and their audit trail. */
export type Access = Readonly<{
  authenticate: Authenticator['authenticate'];
  limiter: Limiter;
  journal: Journal;
  /** Writes buffered entries; call this before the database is closed. */
  close(): Promise<void>;
}>;

export function openAccess(
  { database, notifications }: Readonly<{ database: Database; notifications: Notifications }>,
  { rates }: Readonly<{ rates: Rates }>,
  logger: Logger,
): Access {
  const journal = createJournal(database, logger);
  const authenticator = createAuthenticator({ database, notifications, journal, rates });
  return {
    authenticate: authenticator.authenticate,
    limiter: createLimiter(database),
    journal,
    async close() {
      authenticator.close();
      await journal.close();
    },
  };
}
