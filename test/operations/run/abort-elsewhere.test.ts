import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWorkerProcess } from '../../support/worker-process.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { finished, heldNetwork, holdSource, operation, send } from '../support.ts';
import type { HeldSource } from '../support.ts';
import { full } from '../../support/effort.ts';

let world: World;
let client: Client;
let held: HeldSource;

beforeAll(async () => {
  world = await openWorld({ worker: false, sourceAllow: heldNetwork });
  await world.picture('p.png');
});
afterAll(() => world.close());
beforeEach(async () => {
  client = await world.client();
  held = await holdSource();
});
afterEach(() => held.close());

const one = { src_path: 'p.png' };

async function imageIds(): Promise<string[]> {
  const { body } = await client.rest('GET', '/imgs?fields=image_id&sort_by=image_id&sort_order=asc&limit=10000');
  return body.results.map((image: { image_id: string }) => image.image_id);
}

describe('aborting', () => {
  it('stops an operation that runs in another process, and the next one goes on there', full, async () => {
    const worker = await startWorkerProcess(world);
    const id = await send(client, 'POST', '/imgs', [{ id: 'a', src: held.url }]);
    const strict = await send(client, 'POST', '/imgs?strict=true', [
      { id: 'b', ...one },
      { id: 'c', src: held.url },
    ]);
    const last = await send(client, 'POST', '/imgs', [{ id: 'd', ...one }]);
    await held.asked;
    for (const aborted of [id, strict]) {
      await expect.poll(async () => (await operation(client, aborted)).is_started, { timeout: 10_000 }).toBe(true);
      await client.rest('DELETE', `/ops/${aborted}`);
      expect(await finished(client, aborted)).toMatchObject({ is_aborted: true, num_good: 0, num_bad: 0, errors: [] });
    }
    expect(await finished(client, last)).toMatchObject({ num_good: 1, is_aborted: false });
    expect(await imageIds()).toEqual(['d']);
    worker.child.kill('SIGTERM');
    await worker.ended;
  });

  it('is noticed by the worker when the notification is lost', full, async () => {
    const worker = world.startWorker();
    const id = await send(client, 'POST', '/imgs', [{ id: 'a', src: held.url }]);
    await held.asked;
    await world.backing.database.pool.query("UPDATE operation SET state = 'aborting' WHERE id = $1", [id]);
    expect(await finished(client, id)).toMatchObject({ is_aborted: true, num_good: 0, num_bad: 0 });
    await worker.close();
  });

  it('ends one of many that wait at once, and the others are applied', full, async () => {
    const ids: number[] = [];
    for (let i = 0; i < 60; i += 1) ids.push(await send(client, 'POST', `/imgs/i${100 + i}`, one));
    const [aborted = 0] = ids.splice(30, 1);
    const { status, body } = await client.rest('DELETE', `/ops/${aborted}`);
    expect([status, body.is_finished, body.is_aborted]).toEqual([200, true, true]);
    const worker = world.startWorker();
    for (const id of ids) expect(await finished(client, id)).toMatchObject({ num_good: 1, is_aborted: false });
    expect(await operation(client, aborted)).toMatchObject({ is_started: false, num_good: 0, num_bad: 0 });
    expect(await imageIds()).toHaveLength(59);
    await worker.close();
  });
});
