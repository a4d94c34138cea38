import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder, run } from '../support/program.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld();
  await world.picture('p.png');
});
afterAll(() => world.close());

it('prints records as they begin or cease to match, and leaves no formula behind', full, async () => {
  const client = await world.client({ tenant: 'agency' });
  const { connectionString = '' } = world.backing.database.pool.options;
  const settings = { DATABASE_URL: connectionString, DATA_DIR: newFolder() };
  const watching = run(['watch', 'country:Spain', '--tenant', 'agency', '--json', '--count', '3'], settings);
  await expect.poll(() => watching.output(), { timeout: 20_000 }).toContain('Watching:');
  const one = { src_path: 'p.png' };
  await client.write('POST', '/imgs', [
    { ...one, id: 'a', country: 'Spain' },
    { ...one, id: 'b', country: 'Peru' },
  ]);
  await client.write('PATCH', '/imgs/b', { country: 'Spain' });
  await client.write('DELETE', '/imgs/a');
  expect(await watching.ended).toBe(0);
  const lines = watching.output().split('\n');
  const events = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  expect(events).toMatchObject([
    { kind: 'matched', id: 'a', deleted: false },
    { kind: 'matched', id: 'b' },
    { kind: 'unmatched', id: 'a', deleted: true },
  ]);
  const { data } = await client.graphql('{ savedFormulas { count } }');
  expect(data.savedFormulas.count).toBe(0);
  const wrong = run(['watch', 'contry:Spain'], settings);
  expect(await wrong.ended).toBe(1);
  expect(wrong.output()).toContain("Unknown field 'contry'");
});

it('ends once nobody reads what it prints, and leaves no formula behind', full, async () => {
  const client = await world.client({ tenant: 'press' });
  const { connectionString = '' } = world.backing.database.pool.options;
  const settings = { DATABASE_URL: connectionString, DATA_DIR: newFolder() };
  const watching = run(['watch', 'country:Spain', '--tenant', 'press'], settings);
  await expect.poll(() => watching.output(), { timeout: 20_000 }).toContain('Watching:');
  watching.child.stdout?.destroy();
  await client.write('POST', '/imgs', [{ id: 'c', src_path: 'p.png', country: 'Spain' }]);
  expect(await watching.ended).toBe(0);
  const { data } = await client.graphql('{ savedFormulas { count } }');
  expect(data.savedFormulas.count).toBe(0);
});
