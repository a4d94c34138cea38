import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMeilisearchProgram, serverKey, startMeilisearchServers } from '../../bench/meilisearch/servers.ts';
import type { MeilisearchServers } from '../../bench/meilisearch/servers.ts';
import { openMeilisearchClient } from '../../src/backing/index.ts';
import type { Database, MeilisearchAddresses, MeilisearchClient } from '../../src/backing/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { meilisearchLag, openMeilisearch, startIndexer } from '../../src/search/index.ts';
import type { Indexer, SearchRoute, MeilisearchBackend } from '../../src/search/index.ts';

/** A real Meilisearch to test with; without MEILI_URL there is none. */
export const meili: MeilisearchAddresses | null =
  process.env['MEILI_URL'] === undefined ? null : { urls: [process.env['MEILI_URL']], key: process.env['MEILI_KEY'] };

/** Title of what is left out without it. */
export const skipped = 'skipped: no MEILI_URL';

/** Why tests with several servers of their own are skipped, or false. */
export const noServers: string | false = findMeilisearchProgram() === null && 'skipped: meilisearch is not on PATH';

/** What answers questions: a suite runs once for each. */
export const backends = [
  { name: 'PostgreSQL', servers: 0 },
  ...(meili === null ? [] : [{ name: 'Meilisearch', servers: 1 }]),
  ...(noServers === false ? [{ name: 'three Meilisearch servers', servers: 3 }] : []),
];

export type TestMeilisearch = Readonly<{
  client: MeilisearchClient;
  meilisearch: MeilisearchBackend;
  route: SearchRoute;
  /** How many parts of answers came from Meilisearch, and from PostgreSQL for each reason. */
  answeredBy: Map<string, number>;
  indexer: Indexer;
  close(): Promise<void>;
}>;

/** Servers of a test's own, with all records of a database distributed over them; null without the program. */
export async function openTestServers(
  database: Database,
  count: number,
): Promise<(TestMeilisearch & MeilisearchServers) | null> {
  if (noServers !== false) return null;
  const started = await startMeilisearchServers(count);
  const opened = await openTestMeilisearch(database, { urls: started.urls, key: serverKey });
  if (opened === null) return null;
  return {
    ...started,
    ...opened,
    async close() {
      await opened.close();
      await started.close();
    },
  };
}

/** A Meilisearch with all records of a database; null without MEILI_URL. */
export async function openTestMeilisearch(
  database: Database,
  addresses: MeilisearchAddresses | null = meili,
): Promise<TestMeilisearch | null> {
  if (addresses === null) return null;
  const client = openMeilisearchClient(addresses);
  const logger = createLogger('fatal');
  const indexer = startIndexer({ database, client, logger });
  const meilisearch = openMeilisearch(client, 0, logger);
  const reported = new Map<string, number>();
  const route: SearchRoute = {
    meilisearch,
    report(_part, { backend: own, reason }) {
      reported.set(reason ?? own, (reported.get(reason ?? own) ?? 0) + 1);
    },
  };
  await upToDate(database);
  return {
    client,
    meilisearch,
    route,
    answeredBy: reported,
    indexer,
    async close() {
      await indexer.close();
      await dropIndexes(database, client);
      client.close();
    },
  };
}

/** Waits until Meilisearch has the contents of the database. */
export async function upToDate(database: Database): Promise<void> {
  for (;;) {
    const { pending, indexes } = await meilisearchLag(database);
    if (pending === 0 && indexes.every(({ isReady, filling }) => isReady && filling === null)) return;
    await sleep(20);
  }
}

/** Removes the indexes of a test from Meilisearch. */
async function dropIndexes({ pool }: Database, { members }: MeilisearchClient): Promise<void> {
  const { rows } = await pool.query<{ uid: string | null; next: string | null }>(
    'SELECT uid, next_uid AS next FROM search_index',
  );
  for (const uid of rows.flatMap((row) => [row.uid, row.next]))
    if (uid !== null) for (const { writer } of members) await writer.deleteIndex(uid);
}
