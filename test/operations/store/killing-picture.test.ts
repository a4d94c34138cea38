import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '../../support/program.ts';
import { startWorkerProcess } from '../../support/worker-process.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { finished, heldNetwork, send } from '../support.ts';
import { full } from '../../support/effort.ts';

let world: World;
let client: Client;
/** The worker that is alive now, and how many have died. */
let current: Run | null = null;
let deaths = 0;
let isOver = false;
/** Asking it for a picture kills the worker, as a bug in a decoder would. */
let killer: Server;
let killing: string;

beforeAll(async () => {
  world = await openWorld({ worker: false, sourceAllow: heldNetwork });
  await world.picture('p.png');
  client = await world.client();
  killer = createServer(() => void current?.child.kill('SIGKILL'));
  await new Promise<void>((resolve) => killer.listen(0, '127.0.0.1', resolve));
  killing = `http://127.0.0.1:${(killer.address() as AddressInfo).port}/killer.png`;
});
afterAll(async () => {
  killer.closeAllConnections();
  killer.close();
  await world.close();
});

/** Keeps one worker alive, as a supervisor does. */
async function supervise(): Promise<void> {
  while (!isOver) {
    current = await startWorkerProcess(world);
    await current.ended;
    deaths += 1;
  }
}

describe('an element whose picture kills every worker that touches it', full, () => {
  it('fails alone after three tries by itself, and nothing else is lost, also not of other tenants', full, async () => {
    const other = await world.client();
    const elements = Array.from({ length: 250 }, (_, i) => ({ id: `e${i}`, src_path: 'p.png' }));
    const batch = elements.map((element, i) => (i === 120 ? { id: 'bad', src: killing } : element));
    const id = await send(client, 'POST', '/imgs', batch);
    const second = await send(other, 'POST', '/imgs', elements);
    const strict = await send(client, 'POST', '/imgs?strict=true', [
      { id: 'x', src_path: 'p.png' },
      { id: 'y', src_path: 'p.png' },
    ]);
    const supervised = supervise();

    const record = await finished(client, id, 180_000);
    expect(record).toMatchObject({ num_total: 250, num_good: 249, num_bad: 1, is_aborted: false });
    const msg = "internal: the service ended 3 times while it processed this picture; it is not retried (id 'bad')";
    expect(record.errors).toEqual([{ id: 120, ref: 'bad', code: 'internal', field: null, msg }]);
    // The first death names no element; then three of the marked one.
    expect(deaths).toBe(4);
    expect(await finished(other, second)).toMatchObject({ num_good: 250, num_bad: 0, errors: [] });
    expect(await finished(client, strict)).toMatchObject({ num_good: 2, num_bad: 0 });
    const { body } = await client.rest('GET', '/imgs?limit=1&count=true');
    expect(body.count).toBe(251);

    isOver = true;
    current?.child.kill('SIGTERM');
    await supervised;
  });
});
