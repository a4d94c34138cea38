import { afterAll, beforeAll, expect, it } from 'vitest';
import { allRecords } from '../history/support.ts';
import { tenantIdOf } from '../operations/support.ts';
import { sizeOf } from '../support/effort.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const count = sizeOf(450, 10_000);

/** A change that follows from the number of the record. */
async function store(client: Client): Promise<void> {
  await world.backing.database.pool.query(
    `INSERT INTO image (tenant_id, image_id, width, height, lang, format, byte_size, checksum, title, city, keywords)
     SELECT $1, 'n' || i, 1, 1, 'en', 'png', 1, '\\x00', 'Title ' || i, CASE WHEN i % 3 = 0 THEN 'Vigo' END, ARRAY['k' || i % 7, 'all']
     FROM generate_series(1, $2::int) AS i`,
    [await tenantIdOf(world, client), count],
  );
}

async function diffOf(client: Client, id: number): Promise<unknown[]> {
  const pages = [];
  for (let page = 1; (page - 1) * 200 < count; page += 1) {
    const { body } = await client.rest('GET', `/ops/${id}/changes?limit=200&page=${page}`);
    pages.push(...body.results);
  }
  return pages;
}

it(`a patch of ${count} records by a formula is predicted as it is then written, and undone to the last column`, async () => {
  const client = await world.client();
  await store(client);
  const before = await allRecords(world);
  const patch = { city: 'Lugo', keywords: { add: ['new'], remove: ['all'] } };
  const write = (path: string, body?: unknown) =>
    client.rest(body === undefined ? 'POST' : 'PATCH', path, body, { Prefer: 'wait=120' });
  const dry = await write('/imgs?q=*&wait=true&dry_run=true', patch);
  expect(dry.body).toMatchObject({
    num_total: count,
    num_good: count,
    num_bad: 0,
    is_finished: true,
    is_dry_run: true,
  });
  expect(await allRecords(world)).toEqual(before);
  const real = await write('/imgs?q=*&wait=true', patch);
  expect(real.body).toMatchObject({ num_total: count, num_good: count, num_bad: 0, is_finished: true });
  const after = await allRecords(world);
  expect(Object.values(after).map((row) => (row as { city: string }).city)).toEqual(Array(count).fill('Lugo'));
  const [predicted, done] = [await diffOf(client, dry.body.operation_id), await diffOf(client, real.body.operation_id)];
  expect(predicted).toHaveLength(count);
  expect(predicted).toEqual(done);
  const undo = await write(`/ops/${real.body.operation_id}/undo?wait=true`);
  expect(undo.body).toMatchObject({ num_good: count, num_bad: 0, is_finished: true });
  expect(await allRecords(world)).toEqual(before);
}, 300_000);
