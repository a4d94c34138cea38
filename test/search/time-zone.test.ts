import { afterAll, beforeAll, expect, it } from 'vitest';
import { setTenant } from '../../src/tenants/index.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;

beforeAll(async () => {
  world = await openWorld();
  await world.picture('p.png');
  client = await world.client({ tenant: 'agency' });
  await client.write('POST', '/imgs/late', { src_path: 'p.png' });
  await world.backing.database.pool.query(`UPDATE image SET created_at = '2024-06-14T23:30:00Z'`);
});
afterAll(() => world.close());

const count = async (q: string) =>
  (await client.rest('GET', `/imgs?${new URLSearchParams({ q, count: 'true' })}`)).body.count;

it('the days of a formula are those of the zone that is set for the tenant, and of UTC without one', async () => {
  expect([await count('created_at:2024-06-14'), await count('created_at:2024-06-15')]).toEqual([1, 0]);
  const { timeZone } = await setTenant(world.backing.database, 'agency', ['time_zone=europe/madrid']);
  expect(timeZone).toBe('Europe/Madrid');
  await expect.poll(() => count('created_at:2024-06-15'), { timeout: 5000 }).toBe(1);
  expect(await count('created_at:2024-06-14')).toBe(0);
  const explained = await client.rest('GET', '/imgs/explain?q=created_at:2024-06-15');
  expect(explained.body.count).toBe(1);
  await setTenant(world.backing.database, 'agency', ['time_zone=default']);
  await expect.poll(() => count('created_at:2024-06-14'), { timeout: 5000 }).toBe(1);
});

it('a zone that there is not is refused', async () => {
  await expect(setTenant(world.backing.database, 'agency', ['time_zone=Mars/Olympus'])).rejects.toThrow('time_zone');
});
