import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { finished, heldNetwork, holdSource, operation, send, until } from './support.ts';
import { full, sizeOf, timed } from '../support/effort.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld({ sourceAllow: heldNetwork });
  await world.picture('p.png');
});
afterAll(() => world.close());

const one = { src_path: 'p.png' };
const batch = (length: number) => Array.from({ length }, (_, i) => ({ id: `e${i}`, ...one }));

/** How long a single write of a tenant takes from the request to the record, in milliseconds. */
async function singleWrite(client: Client, id: string): Promise<number> {
  const began = performance.now();
  expect(await client.write('POST', `/imgs/${id}`, one)).toMatchObject({ num_good: 1 });
  return performance.now() - began;
}

const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

describe('a single write', () => {
  const size = sizeOf(2_000, 4_000, 10_000);

  it(`of another tenant waits less than a second for a batch of ${size}`, { ...timed, timeout: 300_000 }, async () => {
    const [large, small] = [await world.client(), await world.client()];
    const id = await send(large, 'POST', '/imgs', batch(size));
    await until(large, id, { is_started: true });
    const times: number[] = [];
    for (let i = 0; i < 5; i += 1) times.push(await singleWrite(small, `s${i}`));
    expect((await operation(large, id)).is_finished).toBe(false);
    expect(middle(times)).toBeLessThan(1000);
    expect(await finished(large, id, 240_000)).toMatchObject({ num_good: size });
  });

  /** For each of many tenants: so much that most are still busy after all single writes. */
  const manySize = 1_500;

  it(
    'waits as little when many more tenants are busy than there are cores',
    { tags: [...full.tags, ...timed.tags], timeout: 300_000 },
    async () => {
      const small = await world.client();
      const ids = new Map<Client, number>();
      for (let i = 0; i < 30; i += 1) {
        const client = await world.client();
        ids.set(client, await send(client, 'POST', '/imgs', batch(manySize)));
      }
      const times: number[] = [];
      for (let i = 0; i < 5; i += 1) times.push(await singleWrite(small, `s${i}`));
      const records = await Promise.all([...ids].map(([client, id]) => operation(client, id)));
      expect(records.filter((record) => !record.is_finished).length).toBeGreaterThan(15);
      expect(middle(times)).toBeLessThan(1000);
      for (const [client, id] of ids) expect(await finished(client, id, 240_000)).toMatchObject({ num_good: manySize });
    },
  );

  it('does not wait for the slow sources of many others', timed, async () => {
    const held = await holdSource();
    const ids = new Map<Client, number>();
    for (let i = 0; i < sizeOf(20, 40); i += 1) {
      const client = await world.client();
      const slow = Array.from({ length: 10 }, (_, n) => ({ id: `h${n}`, src: held.url }));
      ids.set(client, await send(client, 'POST', '/imgs', slow));
    }
    for (const [client, id] of ids) await until(client, id, { is_started: true });
    expect(await singleWrite(await world.client(), 'quick')).toBeLessThan(1000);
    held.release();
    for (const [client, id] of ids) expect(await finished(client, id, 60_000)).toMatchObject({ num_good: 10 });
    await held.close();
  });
});
