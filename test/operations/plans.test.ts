import { afterAll, beforeAll, expect, it } from 'vitest';
import { openByState } from '../../src/operations/figures.ts';
import { unservedTenants } from '../../src/operations/lease/call-unserved.ts';
import { claimChunks, forgottenChunks, orphanedChunks, returnChunks } from '../../src/operations/analyze/statements.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { tenantIdOf } from './support.ts';

const worker = '00000000-0000-4000-8000-000000000001';

let world: World;
beforeAll(async () => {
  world = await openWorld({ worker: false });
  const id = await tenantIdOf(world, await world.client());
  const { pool } = world.backing.database;
  await pool.query(
    `WITH batch AS (
       INSERT INTO operation (tenant_id, kind, method, resource, num_total, do_wait, do_urgent, do_strict, state)
       VALUES ($1, 'images.upsert', 'multiple', 'image', 480000, false, false, false, 'analyzing') RETURNING id
     )
     INSERT INTO operation_analysis (operation_id, number, tenant_id, positions, refs, begun_by)
     SELECT id, n, $1, ARRAY[n], ARRAY['image-' || n], CASE WHEN n % 15000 = 0 THEN $2::uuid END
     FROM batch, generate_series(1, 60000) AS n`,
    [id, worker],
  );
  await pool.query(`INSERT INTO tenant (name) SELECT 'other-' || n FROM generate_series(1, 50) AS n`);
  await pool.query('ANALYZE operation_analysis');
});
afterAll(() => world.close());

/** How many blocks of its memory PostgreSQL reads for a statement. */
async function blocksFor(text: string, values: unknown[]): Promise<number> {
  const client = await world.backing.database.pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

it.each([
  ['claims the next ones, of whatever tenant', claimChunks, [worker, [], [], [], 4]],
  ['claims those of the oldest operation', claimChunks, [worker, [], [], [1], 4]],
  ['claims those that go before what it has', claimChunks, [worker, [1], [5], [], 4]],
  ['looks for those of processes that are no more', orphanedChunks, []],
  ['looks for those of its own that it does not work on', forgottenChunks, [worker, [], []]],
  ['gives its own back', returnChunks, [worker]],
])('a worker %s without going through all chunks that wait', async (_, text, values) => {
  expect(await blocksFor(text, values)).toBeLessThan(300);
});

it.each([
  ['finished', 'how many operations are open', openByState],
  ['queued', 'who has work that nobody does', unservedTenants],
])('very many %s operations are not gone through to tell %s', async (state, _, text) => {
  const { pool } = world.backing.database;
  await pool.query(
    `INSERT INTO operation (tenant_id, kind, method, resource, num_total, do_wait, do_urgent, do_strict, state, created_at, finished_at)
     SELECT min(id), 'images.upsert', 'multiple', 'image', 1, false, false, false, $1::operation_state, now() - interval '1 min',
            CASE $1 WHEN 'finished' THEN now() END
     FROM tenant, generate_series(1, 40000) AS n GROUP BY n`,
    [state],
  );
  await pool.query('ANALYZE operation');
  expect(await blocksFor(text, [])).toBeLessThan(300);
});
