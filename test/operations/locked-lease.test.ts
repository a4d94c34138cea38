import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nextOperation, readLease, takeLease } from '../../src/operations/statements.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { tenantIdOf } from './support.ts';

let world: World;
let db: TenantDb;
beforeAll(async () => {
  world = await openWorld({ worker: false });
  db = forTenant(world.backing.database, await tenantIdOf(world, await world.client()));
});
afterAll(() => world.close());

it('a lease whose transaction stores for long is checked and left to its worker without waiting for it', async () => {
  const [lease, other, worker] = [randomUUID(), randomUUID(), randomUUID()];
  expect((await db.query(takeLease, [lease, worker])).rowCount).toBe(1);
  await db.transaction(async (client) => {
    // As committed, the lease has expired; the transaction that stores has renewed it.
    await db.pool.query(`UPDATE tenant_lease SET expires_at = now() - interval '1 s' WHERE tenant_id = $1`, [
      db.tenantId,
    ]);
    await client.query('SELECT FROM tenant_lease WHERE tenant_id = $1 FOR UPDATE', [db.tenantId]);
    expect((await db.query(readLease, [lease, 1])).rows).toEqual([{ isAborting: false }]);
    expect((await db.query(takeLease, [other, worker])).rowCount).toBe(0);
  });
  expect((await db.query(takeLease, [other, worker])).rowCount).toBe(1);
  expect((await db.query(readLease, [lease, 1])).rows).toEqual([]);
});

it('the next of very many operations is found without reading the others', async () => {
  await db.pool.query(
    `INSERT INTO operation (id, tenant_id, kind, method, resource, num_total, do_wait, do_urgent, do_strict, state)
     SELECT 1000 + n, $1, 'images.upsert', 'multiple', 'image', 1, false, n % 5000 = 4999, false, 'queued'
     FROM generate_series(1, 20000) AS n`,
    [db.tenantId],
  );
  await db.pool.query('ANALYZE operation');
  expect((await db.query(nextOperation)).rows).toMatchObject([{ id: 1000 + 4999 }]);
  await db.pool.query(`UPDATE operation SET state = 'running' WHERE tenant_id = $1 AND id = 1700`, [db.tenantId]);
  expect((await db.query(nextOperation)).rows).toMatchObject([{ id: 1700 }]);
  const { rows } = await db.pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${nextOperation.text}`, [db.tenantId]);
  const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(100);
});
