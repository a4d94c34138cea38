import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEngineClient } from '../../src/backing/index.ts';
import type { Database, EngineClient } from '../../src/backing/index.ts';
import { createLogger } from '../../src/logger.ts';
import { engineLag, openSearchEngine, startFeeder } from '../../src/search/index.ts';
import type { Feeder, Route, SearchEngine } from '../../src/search/index.ts';

/** A real Meilisearch to test with; without MEILI_URL there is none. */
export const meili =
  process.env['MEILI_URL'] === undefined ? null : { url: process.env['MEILI_URL'], key: process.env['MEILI_KEY'] };

/** Title of what is left out without it. */
export const skipped = 'skipped: no MEILI_URL';

/** What answers questions: a suite runs once for each. */
export const backends = [
  { name: 'PostgreSQL', isEngine: false },
  ...(meili === null ? [] : [{ name: 'Meilisearch', isEngine: true }]),
];

export type TestEngine = Readonly<{
  client: EngineClient;
  engine: SearchEngine;
  route: Route;
  /** How many parts of answers were told to come from the engine, and from PostgreSQL for each reason. */
  told: Map<string, number>;
  feeder: Feeder;
  close(): Promise<void>;
}>;

/** An engine that knows all records of a database; null without MEILI_URL. */
export async function openTestEngine(database: Database): Promise<TestEngine | null> {
  if (meili === null) return null;
  const client = openEngineClient(meili);
  const logger = createLogger('fatal');
  const feeder = startFeeder({ database, client, logger });
  const engine = openSearchEngine(client, 0, logger);
  const told = new Map<string, number>();
  const route: Route = {
    engine,
    tell(_part, { engine: own, reason }) {
      told.set(reason ?? own, (told.get(reason ?? own) ?? 0) + 1);
    },
  };
  await upToDate(database);
  return {
    client,
    engine,
    route,
    told,
    feeder,
    async close() {
      await feeder.close();
      await dropIndexes(database, client);
      client.close();
    },
  };
}

/** Waits until the engine knows all that is in the database. */
export async function upToDate(database: Database): Promise<void> {
  for (;;) {
    const { pending, indexes } = await engineLag(database);
    if (pending === 0 && indexes.every(({ isReady, filling }) => isReady && filling === null)) return;
    await sleep(20);
  }
}

/** Leaves nothing of a test's in the engine. */
export async function dropIndexes({ pool }: Database, { writer }: EngineClient): Promise<void> {
  const { rows } = await pool.query<{ uid: string | null; next: string | null }>(
    'SELECT uid, next_uid AS next FROM search_index',
  );
  for (const uid of rows.flatMap((row) => [row.uid, row.next])) if (uid !== null) await writer.deleteIndex(uid);
}
