import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ worker: false });
});
afterAll(() => world.close());

const accept = async (client: Client): Promise<number> => (await client.rest('DELETE', '/imgs/x')).body.operation_id;

it('ids of operations reveal nothing about writes of other tenants', async () => {
  const [quiet, busy] = [await world.client(), await world.client()];
  const ids: number[] = [];
  for (const others of [0, 3, 0, 7, 1]) {
    for (let n = 0; n < others; n += 1) await accept(busy);
    ids.push(await accept(quiet));
  }
  const steps = ids.slice(1).map((id, index) => id - (ids[index] ?? 0));
  expect(new Set(steps).size).toBe(1);
  expect(steps[0]).toBeGreaterThan(0);
  expect(ids.every(Number.isSafeInteger)).toBe(true);
});

it('ids are unique and leave no gap when many writes are accepted at once, by several processes', async () => {
  const client = await world.client();
  const second = await openWorld({
    worker: false,
    database: { url: world.backing.database.pool.options.connectionString as string, drop: async () => {} },
  });
  const there = createClient(second.url, client.key);
  const ids = await Promise.all(Array.from({ length: 120 }, (_, n) => accept(n % 2 === 0 ? client : there)));
  const sorted = ids.toSorted((a, b) => a - b);
  expect(new Set(ids).size).toBe(120);
  expect((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)).toBe(119 * 2 ** 20);
  await second.close();
});

it('an operation of another tenant looks like one that does not exist', async () => {
  const [mine, theirs] = [await world.client(), await world.client()];
  const id = await accept(theirs);
  const own = await accept(mine);
  const answers = await Promise.all([id, own + 2 ** 20, 7].map((each) => mine.rest('GET', `/ops/${each}`)));
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(new Set(answers.map(({ body }) => body.detail)).size).toBe(1);
});
