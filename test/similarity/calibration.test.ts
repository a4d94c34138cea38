import { describe, expect, it } from 'vitest';
import { faultsOfDistances } from '../../src/similarity/index.ts';
import type { Trial } from '../../src/similarity/index.ts';
import { parseDistances, setTenant } from '../../src/tenants/index.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { addHashed, flipped, hashOf } from './hashed.ts';

const trial = (more: Partial<Trial>): Trial => ({
  original: 'a.jpg',
  edit: 'recompressed',
  class: 'near',
  tier: 'near',
  others: [],
  ...more,
});

describe('distances of a tenant', () => {
  let world: SharedWorld;
  let client: Client;
  let name: string;
  withWorld.beforeAll(async ({ enterWorld }) => {
    world = await enterWorld();
    client = await world.client();
    name = (await client.rest('GET', '/me')).body.tenant;
    const base = hashOf('base');
    const at = (bits: number) => ({ id: `b${bits}`, hash: flipped(base, bits) });
    await addHashed(world, client, [{ id: 'a', hash: base }, at(4), at(15), at(28), at(38), at(60)]);
  });

  const search = async (q: string): Promise<string[]> => {
    const { body } = await client.rest('GET', `/imgs?fields=image_id&q=${encodeURIComponent(q)}`);
    return body.results.map((row: { image_id: string }) => row.image_id);
  };
  const tiers = async () => [await search('i===a'), await search('i==a')];

  it('decide what searches and groups find, each tier within the next, the nearest first', async () => {
    expect(await tiers()).toEqual([['b4'], ['b4', 'b15', 'b28']]);
    await setTenant(world.backing.database, name, ['duplicate_distances=20,40']);
    expect(await tiers()).toEqual([
      ['b4', 'b15'],
      ['b4', 'b15', 'b28', 'b38'],
    ]);
    await client.write('POST', '/duplicates?tier=near&q=id:a,b15,b38');
    const { body } = await client.rest('GET', '/duplicates');
    expect(body).toMatchObject({ search: { distance: 20 }, results: [{ size: 2 }] });
    await setTenant(world.backing.database, name, ['duplicate_distances=default']);
    expect(await tiers()).toEqual([['b4'], ['b4', 'b15', 'b28']]);
  });

  it('are within bounds, the first less than the second', async () => {
    expect(['10,31', '2,8', '24,40'].map(parseDistances)).not.toContain(null);
    expect(['31,10', '8,8', '1,31', '10,41', '25,40', '10', '', 'a,b', '-3,9'].map(parseDistances)).toEqual(
      Array.from({ length: 9 }, () => null),
    );
    await expect(setTenant(world.backing.database, name, ['duplicate_distances=31,10'])).rejects.toThrow(
      'largest PDQ distances',
    );
  });

  it('are stored only when they did well on enough pictures', () => {
    const good = [trial({}), trial({ class: 'same', tier: 'same' }), trial({ class: 'edited', tier: null })];
    expect(faultsOfDistances({ near: 10, same: 31 }, 10, good)).toEqual([]);
    const other = { name: 'b.jpg', tier: 'same' } as const;
    const bad = [trial({ others: [other] }), trial({ tier: 'same' })];
    expect(faultsOfDistances({ near: 30, same: 31 }, 3, bad)).toEqual([
      'distances lie within 2 to 24 and 8 to 40, the first less than the second',
      '3 pictures are too few: at least 10 are needed',
      'i== matched 1 edits with another picture',
      'i=== found 50 % of its duplicates, less than 90 %',
    ]);
  });
});
