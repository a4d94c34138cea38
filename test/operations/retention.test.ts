import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeExpired } from '../../src/operations/index.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { tenantIdOf } from './support.ts';

let world: World;
let client: Client;

beforeAll(async () => {
  world = await openWorld();
  client = await world.client();
});
afterAll(() => world.close());

const query = (text: string, values: readonly unknown[] = []) => world.backing.database.pool.query(text, [...values]);
const none = {
  idempotency_key: 0,
  operation_error: 0,
  operation_unchanged: 0,
  dry_change: 0,
  operation_analysis_error: 0,
  operation_event: 0,
  operation: 0,
  preview_removal: 0,
  query_image: 0,
  session: 0,
  mcp_proposal: 0,
  audit: 0,
  key_use: 0,
  notification: 0,
  webhook_delivery: 0,
  fingerprint_change: 0,
  frame_change: 0,
  record_attachment: 0,
  image_change: 0,
  video_change: 0,
};

describe('removing what has expired', () => {
  it('removes operations thirty days after their end, with errors, log and key, in batches, and no other', async () => {
    const elements = Array.from({ length: 2500 }, (_, i) => ({ id: `none-${i}` }));
    const old = await client.write('DELETE', '/imgs', elements);
    const { body } = await client.rest('DELETE', '/imgs/a?wait=true', undefined, { 'Idempotency-Key': 'old' });
    const young = await client.write('DELETE', '/imgs', elements.slice(0, 3));
    await query(`UPDATE operation SET finished_at = now() - interval '30 days 1 minute' WHERE id = ANY($1)`, [
      [old.operation_id, body.operation_id],
    ]);
    await query(`UPDATE operation SET finished_at = now() - interval '29 days 23 hours' WHERE id = $1`, [
      young.operation_id,
    ]);
    const texts: string[] = [];
    const removed = await watchStatements(texts, () => removeExpired(world.backing.database));
    expect(removed).toMatchObject({ operation: 2, operation_error: 2501, idempotency_key: 0, query_image: 0 });
    expect(texts.filter((text) => text.includes('DELETE FROM operation_error'))).toHaveLength(3);
    // The worker sweeps meanwhile: turns and processes are none of what expires.
    const removals = texts.filter((text) => /^DELETE FROM (?!tenant_lease|service_process)/.test(text));
    expect(removals.every((text) => text.includes('LIMIT 1000'))).toBe(true);
    expect((await client.rest('GET', `/ops/${old.operation_id}`)).status).toBe(404);
    expect((await client.rest('GET', `/ops/${young.operation_id}`)).body.errors).toHaveLength(3);
    const left = await query('SELECT FROM idempotency_key');
    expect(left.rowCount).toBe(0);
    expect(await removeExpired(world.backing.database)).toEqual(none);
  });

  it('keeps an old operation until the file of its export is removed, which nothing else would find', async () => {
    const tenantId = await tenantIdOf(world, client);
    const { operation_id: id } = await client.write('DELETE', '/imgs/exported');
    await query(`UPDATE operation SET finished_at = now() - interval '31 days' WHERE id = $1`, [id]);
    await query(
      `INSERT INTO export_file (id, tenant_id, operation_id, format, name, expires_at)
       VALUES (gen_random_uuid(), $1, $2, 'csv', 'a.csv', now() - interval '29 days')`,
      [tenantId, id],
    );
    expect(await removeExpired(world.backing.database)).toMatchObject({ operation: 0 });
    expect(await world.exports.removeExpired()).toBe(1);
    expect(await removeExpired(world.backing.database)).toMatchObject({ operation: 1 });
  });

  it('removes what processes have been told of purged previews, a week after it was worked off', async () => {
    await query(
      `INSERT INTO preview_removal (tenant_id, resource, files, removed_at)
       SELECT $1, 'image', '{a}', now() - make_interval(days => days) FROM unnest('{6,8,NULL}'::int[]) AS days`,
      [await tenantIdOf(world, client)],
    );
    expect(await removeExpired(world.backing.database)).toMatchObject({ preview_removal: 1 });
    await query('DELETE FROM preview_removal');
  });

  it('removes keys and query images whose time is over, and leaves operations that have not ended', async () => {
    const tenantId = await tenantIdOf(world, client);
    await client.rest('DELETE', '/imgs/b', undefined, { 'Idempotency-Key': 'young' });
    await client.rest('DELETE', '/imgs/c', undefined, { 'Idempotency-Key': 'over' });
    await query(`UPDATE idempotency_key SET expires_at = now() - interval '1 s' WHERE key = 'over'`);
    await query(
      `INSERT INTO query_image (tenant_id, hash, width, height, checksum, picture, expires_at)
       VALUES ($1, 'qh_over', 1, 1, '', '', now() - interval '1 s'), ($1, 'qh_young', 1, 1, '', '', now() + interval '1 h')`,
      [tenantId],
    );
    await query(
      `INSERT INTO operation (tenant_id, kind, method, resource, state, num_total, do_wait, do_urgent, do_strict, created_at)
       VALUES ($1, 'images.delete', 'del', 'image', 'queued', 1, false, false, false, now() - interval '1 year')`,
      [tenantId],
    );
    expect(await removeExpired(world.backing.database)).toEqual({ ...none, idempotency_key: 1, query_image: 1 });
    expect((await query('SELECT key FROM idempotency_key')).rows).toEqual([{ key: 'young' }]);
    expect((await query('SELECT hash FROM query_image')).rows).toEqual([{ hash: 'qh_young' }]);
  });

  it('removes changes of fingerprints after an hour, also of a tenant that never searches by similarity', async () => {
    const tenantId = await tenantIdOf(world, client);
    for (const table of ['fingerprint_change', 'frame_change']) {
      await query(
        `INSERT INTO ${table} (tenant_id, row_id, changed_at)
         VALUES ($1, 1, now() - interval '61 minutes'), ($1, 2, now() - interval '59 minutes')`,
        [tenantId],
      );
    }
    expect(await removeExpired(world.backing.database)).toEqual({ ...none, fingerprint_change: 1, frame_change: 1 });
    expect((await query('SELECT row_id FROM fingerprint_change')).rows).toMatchObject([{ row_id: 2 }]);
    expect((await query('SELECT row_id FROM frame_change')).rows).toMatchObject([{ row_id: 2 }]);
  });

  it('removes what was counted of the use of a key after 90 days', async () => {
    const tenantId = await tenantIdOf(world, client);
    await query(
      `INSERT INTO key_use (api_key_id, day, tenant_id, count)
       SELECT k.id, current_date - age, $1, 7777 FROM api_key k, unnest(ARRAY[89, 91]) AS age WHERE k.tenant_id = $1`,
      [tenantId],
    );
    expect(await removeExpired(world.backing.database)).toEqual({ ...none, key_use: 1 });
    expect((await query('SELECT FROM key_use WHERE count = 7777')).rowCount).toBe(1);
  });

  it('is done by one process at a time', async () => {
    const other = await world.backing.database.pool.connect();
    await other.query('SELECT pg_advisory_lock(7261150326)');
    expect(await removeExpired(world.backing.database)).toBeNull();
    await other.query('SELECT pg_advisory_unlock(7261150326)');
    other.release();
    expect(await removeExpired(world.backing.database)).toEqual(none);
  });
});

/** The texts of the statements that are sent while a piece of work runs. */
async function watchStatements<T>(texts: string[], work: () => Promise<T>): Promise<T> {
  const own = pg.Client.prototype.query;
  pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
    if (typeof args[0] === 'string') texts.push(args[0]);
    return Reflect.apply(own, this, args);
  } as typeof own;
  try {
    return await work();
  } finally {
    pg.Client.prototype.query = own;
  }
}
