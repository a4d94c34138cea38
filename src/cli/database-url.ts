import { startEmbeddedPostgres } from '../backing/index.ts';
import type { Config } from '../config/config.ts';

/**
 * Works with the address of the configured database, past a pooler. An embedded one that does not
 * run is started for the work and stopped again.
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
