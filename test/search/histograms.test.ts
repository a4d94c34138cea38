import { describe, expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;

const records = [
  { id: 'a', date: '1865', keywords: ['boat'], colors: ['navy', 'gold'] },
  { id: 'b', date: '1865-03', keywords: ['boat'], colors: ['royalblue'] },
  { id: 'c', date: '1935-07-01', keywords: ['house'], colors: ['darkblue', 'blue'] },
  { id: 'd', keywords: ['house'], colors: [] },
];

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client();
  await world.picture('p.png');
  const elements = records.map(({ id, date, keywords }) => ({ id, date, keywords, src_path: 'p.png' }));
  await client.write('POST', '/imgs', elements);
  for (const { id, colors } of records) {
    const shares = colors.map((name) => ({ name, hex: '#000000', percent: 40 }));
    await world.backing.database.pool.query('UPDATE image SET colors = $1 WHERE image_id = $2', [
      JSON.stringify(shares),
      id,
    ]);
  }
});

async function ask(q: string, mode: string) {
  const text = `query ($q: String, $mode: FacetMode) {
    images(q: $q) { years(mode: $mode) { year count } colors(mode: $mode) { name count } }
  }`;
  const { data } = await client.graphql(text, { q, mode });
  return data.images as { years: { year: number | null; count: number }[]; colors: { name: string; count: number }[] };
}

describe('what matches', () => {
  it('is counted by the years that dates begin in, the latest first, those without a date last', async () => {
    const { years } = await ask('', 'conjunctive');
    expect(years).toEqual([
      { year: 1935, count: 1 },
      { year: 1865, count: 2 },
      { year: null, count: 1 },
    ]);
    expect((await ask('keywords:house', 'conjunctive')).years).toHaveLength(2);
  });

  it('is counted by color families, each as often as the formula finds it', async () => {
    const { colors } = await ask('', 'conjunctive');
    expect(colors[0]).toEqual({ name: 'blue', count: 3 });
    for (const { name, count } of colors) {
      const { data } = await client.graphql(`{ images(q: "color:${name}") { count } }`);
      expect([name, data.images.count]).toEqual([name, count]);
    }
  });

  it('is counted without the conditions on the date or the color where that is asked for', async () => {
    expect((await ask('date:1935 keywords:*', 'disjunctive')).years).toHaveLength(3);
    expect((await ask('date:1935', 'conjunctive')).years).toEqual([{ year: 1935, count: 1 }]);
    expect((await ask('color:gold', 'disjunctive')).colors[0]).toEqual({ name: 'blue', count: 3 });
    expect((await ask('color:gold', 'conjunctive')).colors[0]).toEqual({ name: 'blue', count: 1 });
  });

  it('has fields with labels in two languages, and says what each can do', async () => {
    const text = `query ($language: ExplanationLanguage!) { catalogFields(language: $language) {
      name property kind label isFacet isSortable } }`;
    const find = async (language: string) => {
      const { data } = await client.graphql(text, { language });
      return (data.catalogFields as { name: string }[]).find(({ name }) => name === 'country');
    };
    const same = { name: 'country', property: 'country', kind: 'keyword', isFacet: true, isSortable: true };
    expect(await find('en')).toEqual({ ...same, label: 'country' });
    expect(await find('es')).toEqual({ ...same, label: 'país' });
  });

  it('has fields that callers set and formulas cannot ask for, if all are asked for', async () => {
    const text = `query ($resource: SearchedResource!, $all: Boolean!) { catalogFields(resource: $resource, all: $all) {
      name property kind label inFormulas isUrl isEditable } }`;
    const find = async (resource: string, name: string, all = true) => {
      const { data } = await client.graphql(text, { resource, all });
      return (data.catalogFields as { name: string }[]).find((field) => field.name === name);
    };
    const carried = { kind: 'keyword', inFormulas: false, isUrl: false, isEditable: true };
    expect(await find('image', 'src_path', false)).toBe(undefined);
    expect(await find('image', 'src_path')).toEqual({
      ...carried,
      name: 'src_path',
      property: 'srcPath',
      label: 'source path',
    });
    expect(await find('video', 'img_zoom')).toMatchObject({ ...carried, property: 'imgZoom' });
    expect(await find('image', 'src')).toMatchObject({ inFormulas: true, isUrl: true });
    expect(await find('image', 'locked_fields')).toBe(undefined);
  });

  it('says of fields what can be written and locked, and the limits that writes are checked for', async () => {
    const text = '{ catalogFields { name isEditable isLockable maxLength maxElements } }';
    const fields = (await client.graphql(text)).data.catalogFields as { name: string }[];
    const find = (name: string) => fields.find((field) => field.name === name);
    const written = { isEditable: true, isLockable: true, maxLength: null, maxElements: null };
    expect(find('status')).toEqual({ ...written, name: 'status', maxLength: 64 });
    expect(find('keywords')).toEqual({ ...written, name: 'keywords', maxLength: 200, maxElements: 1000 });
    expect(find('date')).toEqual({ ...written, name: 'date' });
    expect(find('src')).toMatchObject({ isEditable: true, isLockable: false });
    expect(find('width')).toEqual({ ...written, name: 'width', isEditable: false, isLockable: false });
  });
});
