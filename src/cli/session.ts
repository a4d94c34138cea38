import process from 'node:process';
import { openBacking } from '../backing/index.ts';
import type { Backing } from '../backing/index.ts';
import { readConfig } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { createLogger } from '../observability/logger.ts';
import type { Logger } from '../observability/logger.ts';
import { ensureFirstTenant } from '../tenants/index.ts';

/** What a command works with: the same services as the server, beside it or without it. */
export type Session = Readonly<{ config: Config; logger: Logger; backing: Backing }>;

/**
 * Opens the services for one command. A running embedded database is joined; without one it is
 * started and stopped again. Log lines below warnings would only disturb the output.
 */
export async function withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
  const config = readConfig();
  const logger = createLogger(config.logLevel === 'info' ? 'warn' : config.logLevel);
  const backing = await openBacking(config, logger, { ownsDataDir: false });
  try {
    const firstKey = await ensureFirstTenant(backing.database, config, { isService: false });
    if (firstKey !== null) process.stderr.write(`The first admin key was created: ${firstKey.path}\n`);
    return await work({ config, logger, backing });
  } finally {
    await backing.close();
  }
}
