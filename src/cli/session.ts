import process from 'node:process';
import { openBacking } from '../backing/index.ts';
import type { Backing } from '../backing/index.ts';
import { readConfig } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { createLogger } from '../observability/logger.ts';
import type { Logger } from '../observability/logger.ts';
import { ensureFirstTenant } from '../tenants/index.ts';

/** The services that a command uses: the same as those of the server, whether or not that is running. */
export type Session = Readonly<{ config: Config; logger: Logger; backing: Backing }>;

/** How a command opens the services. */
export type SessionOptions = Readonly<{
  /**
   * Whether the command may be the first one ever run, and so creates a catalog if there is none. Otherwise that is
   * an error.
   */
  creates?: boolean;
}>;

/**
 * Opens the services for one command. Joins a running embedded database, or starts it and stops it afterwards. Log lines
 * below warnings are suppressed, as they would clutter the output.
 */
export async function withSession<T>(
  work: (session: Session) => Promise<T>,
  { creates = false }: SessionOptions = {},
): Promise<T> {
  const config = readConfig();
  const logger = createLogger(config.logLevel === 'info' ? 'warn' : config.logLevel);
  const backing = await openBacking(config, logger, { ownsDataDir: false, creates });
  try {
    const firstKey = await ensureFirstTenant(backing.database, config, { isService: false });
    if (firstKey !== null) process.stderr.write(`The first admin key was created: ${firstKey.path}\n`);
    return await work({ config, logger, backing });
  } finally {
    await backing.close();
  }
}
