import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { openDatabase, openMeilisearchClient } from '../../src/backing/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { noteChanges, startIndexer } from '../../src/search/index.ts';
import { whenFilled } from '../meilisearch/index.ts';
import type { Catalog } from './measures.ts';
import type { Figures } from './rows.ts';

/** Time to fill Meilisearch, and its size on disk; empty without MEILI_URL. */
export async function measureMeilisearch({ world }: Catalog): Promise<Figures> {
  const url = process.env['MEILI_URL'];
  if (url === undefined) return {};
  const logger = createLogger('warn');
  const database = openDatabase({ url: world.databaseUrl, logger });
  const client = openMeilisearchClient({ urls: [url], key: process.env['MEILI_KEY'] });
  const sizeOf = async () => (await client.members[0].writer.getStats()).usedDatabaseSize ?? 0;
  const before = await sizeOf();
  const began = performance.now();
  await noteChanges(database);
  const indexer = startIndexer({ database, client, logger });
  await whenFilled(database);
  const indexed = (performance.now() - began) / 1000;
  await indexer.close();
  const meilisearch = ((await sizeOf()) - before) / 1e6;
  const { rows } = await database.pool.query<{ uid: string }>('SELECT uid FROM search_index WHERE uid IS NOT NULL');
  for (const { uid } of rows) await client.members[0].writer.deleteIndex(uid);
  client.close();
  await database.close();
  return { indexed, meilisearch };
}
