import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasLiveWorker } from '../../src/operations/index.ts';
import type { OperationWorker } from '../../src/operations/index.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { finished, heldNetwork, holdSource, operation, send, tenantIdOf, until } from './support.ts';
import type { HeldSource } from './support.ts';
import { full } from '../support/effort.ts';

let world: World;
let client: Client;
let worker: OperationWorker;
let held: HeldSource;

beforeAll(async () => {
  world = await openWorld({ worker: false, sourceAllow: heldNetwork });
  await world.picture('p.png', { width: 7, height: 5 });
});
afterAll(() => world.close());
beforeEach(async () => {
  client = await world.client();
  held = await holdSource();
  worker = world.startWorker();
});
afterEach(async () => {
  await held.close();
  await worker.close();
});

const one = { src_path: 'p.png' };

/** Elements for `chunks` chunks of 200; the first of each chunk from `heldFrom` on is a held source. */
function batch(chunks: number, heldFrom = chunks): object[] {
  return Array.from({ length: chunks * 200 }, (_, i) =>
    i % 200 === 0 && i >= heldFrom * 200 ? { id: `e${i}`, src: held.url } : { id: `e${i}`, ...one },
  );
}

async function countImages(): Promise<number> {
  return (await client.rest('GET', '/imgs?limit=1&count=true')).body.count;
}

/** A worker on another machine that is alive for as long as a test needs. */
const elsewhere = `INSERT INTO service_process (id, role, pid, host, session, seen_at)
                   VALUES (gen_random_uuid(), 'worker', 1, 'elsewhere', 'none', now() + interval '1 hour') RETURNING id`;
const steal = `WITH other AS (${elsewhere})
               UPDATE tenant_lease SET lease_id = gen_random_uuid(), process_id = (SELECT id FROM other),
                                      expires_at = now() + interval '1 hour' WHERE tenant_id = $1`;
const seize = `WITH other AS (${elsewhere})
               INSERT INTO tenant_lease (tenant_id, lease_id, process_id, expires_at)
               SELECT $1, gen_random_uuid(), id, now() + $2::interval FROM other`;
const giveBack = 'DELETE FROM tenant_lease WHERE tenant_id = $1';

describe('a worker', () => {
  it('takes up what was accepted while there was none', async () => {
    await worker.close();
    const id = await send(client, 'POST', '/imgs', batch(1));
    expect(await operation(client, id)).toMatchObject({ is_started: false, num_good: 0 });
    worker = world.startWorker();
    expect(await finished(client, id)).toMatchObject({ num_total: 200, num_good: 200, num_bad: 0, all_good: true });
  });

  it('is known to be there from its start to its end', async () => {
    const { database } = world.backing;
    await expect.poll(() => hasLiveWorker(database)).toBe(true);
    await worker.close();
    expect(await hasLiveWorker(database)).toBe(false);
  });

  it('reports progress while an operation runs', async () => {
    const id = await send(client, 'POST', '/imgs', batch(2, 1));
    const running = { is_started: true, is_finished: false, num_good: 200, num_bad: 0, all_good: true };
    expect(await until(client, id, running)).toMatchObject({ finished_at: null, started_at: expect.any(String) });
    held.release();
    expect(await finished(client, id)).toMatchObject({ num_good: 400, num_bad: 0 });
  });

  it('serves other tenants while the source of one is slow', async () => {
    const id = await send(client, 'POST', '/imgs', [{ id: 'slow', src: held.url }]);
    await held.asked;
    const other = await world.client();
    expect(await other.write('POST', '/imgs/quick', one)).toMatchObject({ num_good: 1 });
    expect(await operation(client, id)).toMatchObject({ is_started: true, is_finished: false });
  });

  it(
    'that closes lets the elements in flight end and leaves the rest to the next, each applied once',
    full,
    async () => {
      const id = await send(client, 'POST', '/imgs', batch(8, 1));
      await until(client, id, { num_good: 200 });
      const closing = worker.close();
      held.release();
      await closing;
      // To the next one it must not look as if this one had died over its chunks.
      const marks = await world.backing.database.pool.query('SELECT FROM operation_chunk WHERE begun_by IS NOT NULL');
      expect(marks.rowCount).toBe(0);
      const { is_finished, num_good, num_bad } = await operation(client, id);
      expect({ is_finished, num_bad, stored: await countImages() }).toEqual({
        is_finished: false,
        num_bad: 0,
        stored: num_good,
      });
      worker = world.startWorker();
      expect(await finished(client, id)).toMatchObject({ num_good: 1600, num_bad: 0, errors: [] });
      expect(await countImages()).toBe(1600);
    },
  );

  it('stores nothing more once another one has its turn, and that one stores each element once', async () => {
    const { pool } = world.backing.database;
    const tenantId = await tenantIdOf(world, client);
    const id = await send(client, 'POST', '/imgs', [{ id: 'a', src: held.url }]);
    await held.asked;
    await pool.query(steal, [tenantId]);
    held.release();
    await worker.close();
    expect(await operation(client, id)).toMatchObject({ is_finished: false, num_good: 0, num_bad: 0 });
    expect(await countImages()).toBe(0);
    await pool.query(giveBack, [tenantId]);
    worker = world.startWorker();
    expect(await finished(client, id)).toMatchObject({ num_good: 1, num_bad: 0, errors: [] });
  });

  it('takes over the lease of one that died', async () => {
    await worker.close();
    await world.backing.database.pool.query(seize, [await tenantIdOf(world, client), '-1 second']);
    const id = await send(client, 'POST', '/imgs', [{ id: 'a', ...one }]);
    worker = world.startWorker();
    expect(await finished(client, id)).toMatchObject({ num_good: 1, num_bad: 0 });
  });

  it('leaves a tenant alone whose turn another one has', async () => {
    const { pool } = world.backing.database;
    const tenantId = await tenantIdOf(world, client);
    await pool.query(seize, [tenantId, '1 hour']);
    const id = await send(client, 'POST', '/imgs', [{ id: 'a', ...one }]);
    const other = await world.client();
    await other.write('POST', '/imgs/later', one);
    expect(await operation(client, id)).toMatchObject({ is_started: false });
    await pool.query(giveBack, [tenantId]);
    await worker.close();
    worker = world.startWorker();
    expect(await finished(client, id)).toMatchObject({ num_good: 1 });
  });
});

describe('an element that the database refuses', () => {
  const refuse = "ALTER TABLE image ADD CONSTRAINT only_for_this_test CHECK (title <> 'refused')";

  beforeAll(() => world.backing.database.pool.query(refuse));
  afterAll(() => world.backing.database.pool.query('ALTER TABLE image DROP CONSTRAINT only_for_this_test'));

  it('fails alone, and what it was stored with is stored', async () => {
    const titles = ['good', 'refused', 'good', 'refused', 'good'];
    const elements = titles.map((title, i) => ({ id: `e${i}`, title, ...one }));
    const record = await client.write('POST', '/imgs', elements);
    expect(record).toMatchObject({ num_total: 5, num_good: 3, num_bad: 2, all_good: false });
    const error = { code: 'internal', field: null };
    expect(record.errors).toEqual([
      { id: 1, ref: 'e1', ...error, msg: "internal: the element could not be stored (id 'e1')" },
      { id: 3, ref: 'e3', ...error, msg: "internal: the element could not be stored (id 'e3')" },
    ]);
    expect(await countImages()).toBe(3);
  });

  it('takes a strict batch along', async () => {
    const elements = ['good', 'refused'].map((title, i) => ({ id: `e${i}`, title, ...one }));
    const record = await client.write('POST', '/imgs?strict=true', elements);
    expect(record).toMatchObject({ num_good: 0, num_bad: 2 });
    expect(record.errors.map(({ code }: { code: string }) => code)).toEqual(['strict_rollback', 'internal']);
    expect(await countImages()).toBe(0);
  });
});
