import { startEmbeddedPostgres } from '../backing/index.ts';
import type { Config } from '../config/config.ts';

/**
 * Runs work with the address of the configured database, bypassing a pooler. An embedded database that is not running is
 * started for the work and stopped afterwards.
 */
export async function withDatabaseUrl<T>(
  { databaseUrl, database, dataDir }: Pick<Config, 'databaseUrl' | 'database' | 'dataDir'>,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const own = database.directUrl ?? databaseUrl;
  if (own !== undefined) return work(own);
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    return await work(postgres.url);
  } finally {
    if (postgres.isOurs) await postgres.stop();
  }
}
