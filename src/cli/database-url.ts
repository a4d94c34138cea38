import { requireEmbeddedCatalog, startEmbeddedPostgres } from '../backing/index.ts';
import type { Config } from '../config/config.ts';
import type { SessionOptions } from './session.ts';

/**
 * Runs work with the address of the configured database, bypassing a pooler. An embedded database that is not running
 * is started for the work and stopped afterwards, unless others are using it by then; it is created only if the
 * command may be the first one ever run.
 */
export async function withDatabaseUrl<T>(
  { databaseUrl, database, dataDir }: Pick<Config, 'databaseUrl' | 'database' | 'dataDir'>,
  work: (url: string) => Promise<T>,
  { creates = false }: SessionOptions = {},
): Promise<T> {
  const own = database.directUrl ?? databaseUrl;
  if (own !== undefined) return work(own);
  if (!creates) requireEmbeddedCatalog(dataDir);
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    return await work(postgres.url);
  } finally {
    await postgres.release();
  }
}
