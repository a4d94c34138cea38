import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { analyzerOf } from '../support/analyzers.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { finished, send } from './support.ts';

let world: World;
let client: Client;
let uploaded: string;
beforeAll(async () => {
  world = await openWorld({ worker: false, analyses: true, imageAnalyzer: analyzerOf(['shape']) });
  client = await world.client();
  await world.picture('p.png');
  const body = new Uint8Array(readFileSync(join(world.media, 'p.png')));
  const headers = { 'API-Key': client.key, 'Content-Type': 'image/png' };
  const answer = await fetch(`${world.url}/uploads?name=p.png`, { method: 'POST', headers, body });
  uploaded = (await answer.json()).src_path;
});
afterAll(() => world.close());

/** Lets a worker wait for the row of the uploaded file, and then lose the connection on which it waits. */
async function loseLookUp(begin: () => Promise<number>): Promise<number> {
  const { pool } = world.backing.database;
  const holder = await pool.connect();
  await holder.query('BEGIN; LOCK TABLE upload');
  const id = await begin();
  const lose = async () =>
    (
      await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE '%FROM upload%'`)
    ).rowCount;
  await expect.poll(lose, { timeout: 20_000 }).toBe(1);
  await holder.query('ROLLBACK');
  holder.release();
  return id;
}

it('an element whose uploaded file is looked up while the database is away is stored when that is back', async () => {
  const id = await send(client, 'POST', '/imgs', [{ id: 'a', src_path: uploaded }]);
  await loseLookUp(async () => {
    world.startWorker();
    return id;
  });
  expect(await finished(client, id)).toMatchObject({ num_good: 1, num_bad: 0, errors: [] });
});

it('so is its analysis', async () => {
  const analyze = 'mutation { analyzeImages(ids: ["a"], force: true) { ... on PendingOperation { operationId } } }';
  const id = await loseLookUp(async () => Number((await client.graphql(analyze)).data.analyzeImages.operationId));
  expect(await finished(client, id)).toMatchObject({ num_good: 1, analysis_errors: [] });
});
