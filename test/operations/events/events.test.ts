import pLimit from 'p-limit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { watchOperation } from '../../../src/operations/index.ts';
import type { OperationEvent } from '../../../src/operations/index.ts';
import { eventPollMs } from '../../../src/operations/events/event-reader.ts';
import { forTenant } from '../../../src/tenants/index.ts';
import type { TenantDb } from '../../../src/tenants/index.ts';
import { countPolls } from '../../live/support.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { send, tenantIdOf } from '../support.ts';
import { full, timed } from '../../support/effort.ts';

/** Nobody applies what is accepted here: the tests write the log themselves, as a worker elsewhere would. */
let world: World;
let client: Client;
let db: TenantDb;
let id: number;

beforeAll(async () => {
  world = await openWorld({ worker: false });
});
afterAll(() => world.close());
beforeEach(async () => {
  client = await world.client();
  db = forTenant(world.backing.database, await tenantIdOf(world, client));
  id = await accept();
});

const accept = () => send(client, 'DELETE', '/imgs', [{ id: 'a' }, { id: 'b' }]);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function watch(options: { after?: number; signal?: AbortSignal } = {}, of = id) {
  const events = await watchOperation(db, world.backing.notifications, of, options);
  if (events === null) throw new Error('there is no such operation');
  return events;
}

/** Adds events to the log as a worker does, with or without a notification. */
async function write(type: 'started' | 'progress' | 'finished', { isTold = true, good = 0, of = id } = {}) {
  const { pool } = world.backing.database;
  await pool.query(
    `INSERT INTO operation_event (operation_id, sequence, tenant_id, type, data)
     SELECT $1, max(sequence) + 1, $2, $3, jsonb_build_object('num_good', $4::int, 'num_bad', 0, 'num_total', 2)
     FROM operation_event WHERE operation_id = $1`,
    [of, db.tenantId, type, good],
  );
  if (isTold) await pool.query(`SELECT pg_notify('vitrine_operation', $1)`, [`${of}:${type}`]);
}

async function collect(events: AsyncIterable<OperationEvent>): Promise<(OperationEvent & { took: number })[]> {
  const all = [];
  for await (const event of events) all.push({ ...event, took: performance.now() });
  return all;
}

const types = (events: readonly OperationEvent[]) => events.map(({ type }) => type);

describe('watching an operation', () => {
  it('gives its events in order, with totals, to the last one', async () => {
    const reading = watch().then(collect);
    await write('started');
    await write('progress', { good: 1 });
    await pause(300);
    await write('finished', { good: 2 });
    const events = await reading;
    expect(types(events)).toEqual(['queued', 'started', 'progress', 'finished']);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(events.map(({ numTotal, numGood }) => [numTotal, numGood])).toEqual([
      [2, 0],
      [2, 0],
      [2, 1],
      [2, 2],
    ]);
    expect(events.every(({ operationId, at }) => operationId === id && at instanceof Date)).toBe(true);
  });

  it('goes on behind a sequence number', async () => {
    await write('started');
    await write('progress', { good: 1 });
    await write('finished', { good: 2 });
    expect(types(await collect(await watch({ after: 2 })))).toEqual(['finished']);
    expect(types(await collect(await watch({ after: 4 })))).toEqual([]);
  });

  it('is not possible for an operation that is not there, or belongs to another tenant', async () => {
    const other = forTenant(world.backing.database, await tenantIdOf(world, await world.client()));
    const { notifications } = world.backing;
    expect(await watchOperation(other, notifications, id)).toBeNull();
    for (const none of [0, -1, 999_999, Number.MAX_SAFE_INTEGER]) {
      expect(await watchOperation(db, notifications, none)).toBeNull();
    }
  });

  it('notices events without a notification', async () => {
    const events = await watch();
    await events.next();
    for (const type of ['started', 'finished'] as const) {
      const next = events.next();
      await write(type, { isTold: false });
      expect((await next).value?.type).toBe(type);
    }
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  // Sooner than it polls.
  it('notices events with a notification at once', timed, async () => {
    const events = await watch();
    await events.next();
    const next = events.next();
    await write('finished');
    const before = performance.now();
    await next;
    expect(performance.now() - before).toBeLessThan(400);
  });

  it('ends at once when its reader leaves or its signal fires, also while it waits', async () => {
    const leaving = new AbortController();
    const [left, stopped] = [await watch(), await watch({ signal: leaving.signal })];
    for (const events of [left, stopped]) await events.next();
    const waiting = [left.next(), stopped.next()];
    await left.return?.();
    leaving.abort();
    expect(await Promise.all(waiting)).toEqual([0, 1].map(() => ({ done: true, value: undefined })));
    const aborted = await watch({ signal: AbortSignal.abort() });
    expect((await aborted.next()).done).toBe(true);
    expect(await countPolls(world, () => pause(900))).toBe(0);
  });

  it('survives the loss of every connection to the database', async () => {
    const reading = watch().then(collect);
    await pause(100);
    await world.backing.database.pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await pause(100);
    await write('started');
    await pause(700);
    await write('finished');
    expect(types(await reading)).toEqual(['queued', 'started', 'finished']);
  });
});

describe('many events', () => {
  it('come ten a second at most, the newest each time, and the last one at once', async () => {
    const readers = [watch(), watch()].map(async (made) => collect(await made));
    await write('started');
    for (let good = 1; good <= 60; good += 1) {
      await write('progress', { good });
      await pause(20);
    }
    await write('finished', { good: 99 });
    for (const events of await Promise.all(readers)) {
      expect([events[0]?.type, events[1]?.type, events.at(-1)?.type]).toEqual(['queued', 'started', 'finished']);
      // The first two and the last one wait for nothing; a reader that is late sees the others closer together.
      const tenths = ((events.at(-1)?.took ?? 0) - (events[0]?.took ?? 0)) / 100;
      expect(events.length).toBeLessThanOrEqual(tenths + 5);
      expect(events.length).toBeGreaterThan(6);
      const goods = events.map(({ numGood }) => numGood);
      expect(goods.at(-1)).toBe(99);
      expect(goods).toEqual(goods.toSorted((a, b) => a - b));
    }
  });

  it('wait for a slow reader as one', async () => {
    const events = await watch();
    for (let good = 1; good <= 5; good += 1) await write('progress', { good });
    await pause(300);
    expect((await events.next()).value?.type).toBe('queued');
    expect((await events.next()).value).toMatchObject({ type: 'progress', numGood: 5, sequence: 6 });
    await events.return?.();
  });
});

describe('many readers', () => {
  it('of one operation cost one query at a time, and one listening connection', async () => {
    const readers = await Promise.all(Array.from({ length: 2000 }, () => watch()));
    const reading = readers.map(collect);
    const looks = await countPolls(world, async () => {
      await pause(1000);
      await write('finished');
      const all = await Promise.all(reading);
      expect(all.every((events) => events.at(-1)?.type === 'finished')).toBe(true);
    });
    expect(looks).toBeLessThanOrEqual(5);
    const { rows } = await world.backing.database.pool.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'vitrine %'`,
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('of many operations are served by few statements', full, async () => {
    const limit = pLimit(20); // A tenant that sends all of them at once is asked to slow down on a busy machine.
    const all = await Promise.all(Array.from({ length: 400 }, () => limit(accept)));
    const readers = await Promise.all(all.map((of) => watch({}, of)));
    for (const events of readers) await events.next();
    const began = performance.now();
    const polls = await countPolls(world, () => pause(850));
    const rounds = Math.ceil((performance.now() - began) / eventPollMs); // On a busy machine the pause is longer.
    expect(polls).toBeGreaterThan(0);
    expect(polls).toBeLessThanOrEqual(rounds * 4); // A round is one, one, and two batches of up to two hundred.
    for (const events of readers) await events.return?.();
  });
});
