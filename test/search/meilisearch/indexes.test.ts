import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openDatabase, openMeilisearchClient } from '../../../src/backing/index.ts';
import type { Database } from '../../../src/backing/index.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { finishBuild, noteFilled, readIndexes } from '../../../src/search/meilisearch/indexes.ts';
import { cloneDatabase } from '../../support/database.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase(inject('postgresUrl'));
  database = openDatabase({ url: clone.url, logger: createLogger('fatal') });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

it('a process that was long away, and whose index another has begun anew, neither finishes that one nor says how far it is', async () => {
  const { pool } = database;
  await pool.query(`INSERT INTO search_index (resource, next_uid) VALUES ('image', 'mine')`);
  const [row] = await readIndexes(database);
  if (row === undefined) throw new Error('there is no index');
  await noteFilled(database, 'mine', 500, 500);
  await pool.query(`UPDATE search_index SET next_uid = 'theirs', filled_to = 0, filled = 0`);
  await noteFilled(database, 'mine', 1000, 500);
  const client = openMeilisearchClient({ urls: ['http://127.0.0.1:9'], key: undefined });
  expect(await finishBuild(database, client, row)).toBe(false);
  expect(await readIndexes(database)).toMatchObject([{ uid: null, nextUid: 'theirs', filledTo: 0, filled: 0 }]);
  await noteFilled(database, 'theirs', 700, 200);
  expect(await readIndexes(database)).toMatchObject([{ nextUid: 'theirs', filledTo: 700, filled: 200 }]);
});
