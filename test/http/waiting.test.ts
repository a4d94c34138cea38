import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { SharedWorld } from '../support/world.ts';

let world: SharedWorld;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
});

it('any number of requests wait for their operations, and Node warns of no leak', async () => {
  const client = await world.client();
  const picture = await world.picture('one.png');
  const warned = once(process, 'warning').then(([warning]) => String(warning));
  const ids = Array.from({ length: 20 }, (_, n) => `w${n}`);
  const stored = await Promise.all(ids.map((id) => client.write('POST', `/imgs/${id}`, { src_path: picture })));
  expect(stored.map(({ num_good: good }) => good)).toEqual(ids.map(() => 1));
  expect(await Promise.race([warned, sleep(100, 'nothing')])).toBe('nothing');
});
