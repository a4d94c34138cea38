import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { finished, heldNetwork, holdSource, operation, send, until } from '../support.ts';
import type { HeldSource } from '../support.ts';
import { timed } from '../../support/effort.ts';

/** A world whose writes are applied, and one where nobody applies them. */
let world: World;
let idle: World;
let held: HeldSource;

beforeAll(async () => {
  world = await openWorld({ sourceAllow: heldNetwork });
  idle = await openWorld({ worker: false });
  await world.picture('p.png');
  await idle.picture('p.png');
});
afterAll(async () => {
  await world.close();
  await idle.close();
});
beforeEach(async () => {
  held = await holdSource();
});
afterEach(() => held.close());

const one = { src_path: 'p.png' };

async function imageIds(client: Client): Promise<string[]> {
  const { body } = await client.rest('GET', '/imgs?fields=image_id&sort_by=image_id&sort_order=asc&limit=10000');
  return body.results.map((image: { image_id: string }) => image.image_id);
}

describe('aborting an operation that waits', () => {
  it('ends it at once, without a worker, and reports it as aborted', async () => {
    const client = await idle.client();
    const id = await send(client, 'POST', '/imgs', [{ id: 'a', ...one }]);
    const before = await operation(client, id);
    const { status, body } = await client.rest('DELETE', `/ops/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      is_finished: true,
      is_aborted: true,
      idle_ms: expect.any(Number),
      finished_at: expect.any(String),
      stages: before.stages.map((stage: object) => ({ ...stage, is_finished: true })),
    });
    expect(await operation(client, id)).toEqual(body);
  });

  it('keeps every element from being applied, and leaves the operations behind it alone', async () => {
    const place = await openWorld({ worker: false });
    const client = await place.client();
    await place.picture('p.png');
    const aborted = await send(client, 'POST', '/imgs', [
      { id: 'a', ...one },
      { id: 'b', ...one },
    ]);
    const next = await send(client, 'POST', '/imgs', [
      { id: 'b', ...one },
      { id: 'c', ...one },
    ]);
    await client.rest('DELETE', `/ops/${aborted}`);
    place.startWorker();
    expect(await finished(client, next)).toMatchObject({ num_good: 2, num_bad: 0, is_aborted: false });
    expect(await operation(client, aborted)).toMatchObject({ num_good: 0, num_bad: 0, all_good: null, errors: [] });
    expect(await imageIds(client)).toEqual(['b', 'c']);
    await place.close();
  });

  it('answers the caller who waits for it with its record', async () => {
    const client = await idle.client();
    const waiting = client.rest('POST', '/imgs/a?wait=true', one);
    const id = await vi.waitFor(async () => {
      const [record] = (await client.rest('GET', '/ops')).body;
      return record.operation_id as number;
    });
    await client.rest('DELETE', `/ops/${id}`);
    const { status, body } = await waiting;
    expect([status, body.operation_id]).toEqual([200, id]);
    expect(body).toMatchObject({ is_finished: true, is_aborted: true, num_good: 0, num_bad: 0 });
  });
});

describe('aborting an operation that runs', () => {
  it('keeps what is stored and counts what was never reached as neither good nor bad', async () => {
    const client = await world.client();
    const elements = Array.from({ length: 600 }, (_, i) => ({ id: `e${1000 + i}`, ...one }));
    const batch = elements.map((element, i) => (i === 200 ? { id: element.id, src: held.url } : element));
    const id = await send(client, 'POST', '/imgs', batch);
    await until(client, id, { num_good: 200 });
    await held.asked;
    const { status, body } = await client.rest('DELETE', `/ops/${id}`);
    expect([status, body.operation_id]).toEqual([200, id]);
    // The source is still held: it ends although an element in flight would take minutes.
    const record = await finished(client, id);
    expect(record).toMatchObject({ is_aborted: true, num_total: 600, num_good: 200, num_bad: 0, all_good: true });
    expect(record).toMatchObject({ is_started: true, finished_at: expect.any(String), errors: [] });
    expect(await imageIds(client)).toEqual(elements.slice(0, 200).map((element) => element.id));
  });

  it('takes no time, and leaves all_good null when no element had ended', timed, async () => {
    const client = await world.client();
    const id = await send(client, 'POST', '/imgs', [
      { id: 'a', src: held.url },
      { id: 'b', ...one },
    ]);
    await held.asked;
    const began = Date.now();
    await client.rest('DELETE', `/ops/${id}`);
    const record = await finished(client, id);
    expect(record).toMatchObject({ is_aborted: true, num_good: 0, num_bad: 0, all_good: null, errors: [] });
    expect(Date.now() - began).toBeLessThan(1_500); // By a notification; polling would take longer.
    expect(await imageIds(client)).toEqual([]);
  });

  it('rolls a strict one back', async () => {
    const client = await world.client();
    const batch = Array.from({ length: 201 }, (_, i) =>
      i === 200 ? { id: 'h', src: held.url } : { id: `e${i}`, ...one },
    );
    const id = await send(client, 'POST', '/imgs?strict=true', batch);
    await held.asked;
    await client.rest('DELETE', `/ops/${id}`);
    const record = await finished(client, id);
    expect(record).toMatchObject({ is_aborted: true, num_good: 0, num_bad: 0, all_good: null, errors: [] });
    expect(await imageIds(client)).toEqual([]);
  });

  it('lets the next operation of the tenant run', async () => {
    const client = await world.client();
    const running = await send(client, 'POST', '/imgs/a', { src: held.url });
    await held.asked;
    const next = await send(client, 'POST', '/imgs/b', one);
    await client.rest('DELETE', `/ops/${running}`);
    expect(await finished(client, next)).toMatchObject({ num_good: 1, num_bad: 0, is_aborted: false });
    expect(await imageIds(client)).toEqual(['b']);
  });

  it('may be asked for twice', async () => {
    const client = await world.client();
    const id = await send(client, 'POST', '/imgs/a', { src: held.url });
    await held.asked;
    const answers = await Promise.all([client.rest('DELETE', `/ops/${id}`), client.rest('DELETE', `/ops/${id}`)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await finished(client, id)).toMatchObject({ is_aborted: true, num_good: 0, num_bad: 0 });
  });
});

describe('aborting', () => {
  it('returns a finished operation as it is', async () => {
    const client = await world.client();
    const record = await client.write('POST', '/imgs/a', one);
    const { status, body } = await client.rest('DELETE', `/ops/${record.operation_id}`);
    expect([status, body]).toEqual([200, record]);
    expect(body.is_aborted).toBe(false);
    expect(await imageIds(client)).toEqual(['a']);
  });

  it.each(['0', '-1', '999999', '9007199254740993', '99999999999999999999'])(
    'answers 404 for %s, which is no operation',
    async (id) => {
      const client = await idle.client();
      const { status, body } = await client.rest('DELETE', `/ops/${id}`);
      expect([status, body]).toEqual([404, { detail: 'Operation not found' }]);
    },
  );

  it("answers 404 for another tenant's operation and leaves it waiting", async () => {
    const owner = await idle.client();
    const other = await idle.client();
    const id = await send(owner, 'POST', '/imgs/a', one);
    const { status, body } = await other.rest('DELETE', `/ops/${id}`);
    expect([status, body]).toEqual([404, { detail: 'Operation not found' }]);
    expect(await operation(owner, id)).toMatchObject({ is_finished: false, is_aborted: false });
  });
});
