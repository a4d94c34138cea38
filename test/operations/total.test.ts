import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { tenantIdOf } from './support.ts';

let world: World;
let mine: Client;
let theirs: Client;

beforeAll(async () => {
  world = await openWorld();
  [mine, theirs] = [await world.client(), await world.client()];
  await world.picture('p.png', { width: 7, height: 5 });
});
afterAll(() => world.close());

const total = async (client: Client): Promise<number> =>
  (await client.rest('GET', '/imgs?count=true&limit=1')).body.count;

async function counted(client: Client): Promise<number> {
  const { pool } = world.backing.database;
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM image WHERE tenant_id = $1',
    [await tenantIdOf(world, client)],
  );
  return rows[0]?.count ?? Number.NaN;
}

const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'missing'), { minLength: 1, maxLength: 5 });
const write = fc.record({
  isMine: fc.boolean(),
  method: fc.constantFrom('POST' as const, 'PUT' as const, 'PATCH' as const, 'DELETE' as const),
  query: fc.constantFrom('', '?strict=true'),
  ids,
});

describe('the count of all records', () => {
  it('is that of the table after any writes, for each tenant its own', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 6 }), async (writes) => {
        for (const { isMine, method, query, ids: names } of writes) {
          const elements = names.map((id) => ({ id, src_path: id === 'missing' ? 'missing.png' : 'p.png' }));
          const body = method === 'DELETE' ? names.map((id) => ({ id })) : elements;
          await (isMine ? mine : theirs).write(method, `/imgs${query}`, body);
        }
        for (const client of [mine, theirs]) expect(await total(client)).toBe(await counted(client));
      }),
      { numRuns: 12 },
    );
  });

  it('is none for a tenant without records, and goes with the tenant', async () => {
    const fresh = await world.client();
    expect(await total(fresh)).toBe(0);
    await fresh.write('POST', '/imgs/only', { src_path: 'p.png' });
    expect(await total(fresh)).toBe(1);
    const { pool } = world.backing.database;
    const tenantId = await tenantIdOf(world, fresh);
    await pool.query('DELETE FROM tenant WHERE id = $1', [tenantId]);
    expect((await pool.query('SELECT FROM record_total WHERE tenant_id = $1', [tenantId])).rows).toEqual([]);
  });

  it('counts what a negation leaves', async () => {
    const client = await world.client();
    await client.write('POST', '/imgs', [
      { id: 'x', src_path: 'p.png', status: 'archived' },
      { id: 'y', src_path: 'p.png', status: 'ready' },
      { id: 'z', src_path: 'p.png' },
    ]);
    expect((await client.rest('GET', '/imgs?q=-status:archived&count=true')).body.count).toBe(2);
    await client.write('DELETE', '/imgs/z');
    expect((await client.rest('GET', '/imgs?q=-status:archived&count=true')).body.count).toBe(1);
  });
});
