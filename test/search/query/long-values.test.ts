import { expect, it } from 'vitest';
import { fieldsOf } from '../../../src/catalog/index.ts';
import { withWorld } from '../../support/shared-world.ts';
import type { Client, SharedWorld } from '../../support/world.ts';

let world: SharedWorld;
let client: Client;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client();
  await world.picture('p.png');
});

/** Text that nothing makes shorter, with a different one for each number. */
function textOf(length: number, number: number): string {
  let state = number + 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCodePoint(0x4e_00 + (state % 20_000));
  }).join('');
}

const facets = fieldsOf.image.filter(({ facet, type, access }) => facet && access === 'write' && type === 'keyword');

it.each(facets.map(({ name, maxLength }) => [name, maxLength] as const))(
  'a value of %s as long as it may be is stored, counted and found by its beginning, but is not equal to that',
  async (name, maxLength) => {
    const text = textOf(maxLength, name.length);
    const written = await client.rest('POST', `/imgs/${name}?wait=true`, { src_path: 'p.png', [name]: text });
    expect([written.status, written.body.errors ?? []]).toEqual([201, []]);
    const { body } = await client.rest('GET', `/imgs?limit=1&facets=${name}`);
    expect(JSON.stringify(body)).toContain(text);
    const found = async (q: string) =>
      (await client.rest('GET', `/imgs?q=${encodeURIComponent(q)}`)).body.results.length as number;
    expect(await found(`${name}:${text.slice(0, 30)}*`)).toBe(1);
    for (const length of [199, 200, 201, 202].filter((each) => each < maxLength)) {
      expect(await found(`${name}="${text.slice(0, length)}"`)).toBe(0);
    }
  },
);
