import { describe, expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { kinds } from './kinds.ts';

let world: SharedWorld;
let client: Client;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client();
});

describe.each(kinds)('the language of the texts of $resource records', (kind) => {
  it('is read, changed without any field, listed in the history and undone', async () => {
    const src_path = await kind.source(world, 'lang');
    await client.write('POST', `${kind.path}/a?lang=en`, { src_path, title: 'Houses' });
    const read = async () => (await client.graphql(`{ ${kind.resource}(id: "a") { lang title } }`)).data[kind.resource];
    expect(await read()).toEqual({ lang: 'en', title: 'Houses' });
    const { data } = await client.graphql(
      `mutation { r: update${kind.type}s(${kind.list}: [{ id: "a" }], lang: fr, wait: true) {
         ... on Operation { id numGood changes { results { fields { field before after } } } } } }`,
    );
    expect(data.r.numGood).toBe(1);
    expect(data.r.changes.results[0].fields).toEqual([{ field: 'lang', before: 'en', after: 'fr' }]);
    expect(await read()).toEqual({ lang: 'fr', title: 'Houses' });
    await client.rest('POST', `/ops/${data.r.id}/undo?wait=true`);
    expect(await read()).toEqual({ lang: 'en', title: 'Houses' });
  });
});
