import { beforeEach, describe, expect, it } from 'vitest';
import { imageFields, imageSorts, imageWriteFields, schemaName } from '../../rest/endpoints/contract.ts';
import { schema } from '../../src/graphql/index.ts';
import { withWorld } from '../support/shared-world.ts';
import type { BodyFieldType } from '../../rest/endpoints/contract.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  await world.picture('p.png', { width: 7, height: 5 });
  await world.picture('q.png', { width: 9, height: 4 });
});
beforeEach(async () => {
  client = await world.client();
});

const selection = imageFields.map((name) => `${name}: ${schemaName(name)}`).join(' ');
const all = imageFields.map((name) => `fields=${name}`).join('&');
/** Values of the fields that are not listed below, so that none is left out. */
const samples: Readonly<Record<BodyFieldType, unknown>> = { string: 'a value', boolean: true, strings: ['one', 'two'] };
const full = {
  ...Object.fromEntries(
    imageWriteFields.filter(({ name }) => name !== 'src').map(({ name, type }) => [schemaName(name), samples[type]]),
  ),
  srcPath: 'p.png',
  urlImgWatermark: 'https://example.org/w.jpg',
  urlImgThumbnail: 'https://example.org/t.jpg',
  title: 'Título "x" \\ 🌁\n',
  headline: 'Заголовок',
  caption: '',
  altText: 'fog',
  aiGenerated: false,
  modelRelease: true,
  propertyRelease: false,
  nsfw: false,
  status: 'published',
  date: '2024-02',
  location: 'Cliff',
  city: 'Vigo',
  country: 'es',
  event: 'Regatta',
  author: 'Ana',
  provider: '42',
  shot: 'wide',
  scene: 'sea',
  technique: 'photo',
  medium: 'digital',
  keywords: ['b', 'a', 'b'],
  categories: [],
  collections: null,
  lockedFields: ['title'],
  refusedKeywords: ['boat'],
};

const create = `mutation ($images: [ImageInput!]!, $wait: Boolean! = true, $strict: Boolean! = false) {
  result: createImages(images: $images, wait: $wait, strict: $strict) {
    __typename
    ... on Operation { id method numTotal numGood numBad numCreated allGood errors { position ref code field msg } }
    ... on PendingOperation { operationId nTotal msg }
  }
}`;

describe('an image', () => {
  it('has the values in GraphQL that it has in REST, for every field of the contract', async () => {
    const { data } = await client.graphql(create, { images: [{ id: 'one', ...full }] });
    expect(data.result).toMatchObject({ __typename: 'Operation', numGood: 1, numCreated: 1, errors: [] });
    const rest = (await client.rest('GET', `/imgs/one?${all}`)).body;
    expect(rest).toMatchObject({ image_id: 'one', title: full.title, keywords: ['b', 'a'], width: 7, height: 5 });
    expect(await client.graphql(`{ image(id: "one") { ${selection} } }`)).toEqual({ data: { image: rest } });
    expect(await client.graphql(`{ images { results { ${selection} } } }`)).toEqual({
      data: { images: { results: [rest] } },
    });
  });

  it('written over REST reads the same in GraphQL', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'p.png', title: 'T', nsfw: null, keywords: [] });
    const rest = (await client.rest('GET', `/imgs/one?${all}`)).body;
    expect((await client.graphql(`{ image(id: "one") { ${selection} } }`)).data.image).toEqual(rest);
  });

  it('knows when it was stored and last changed', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'p.png' });
    const query = '{ image(id: "one") { createdAt updatedAt } }';
    const { image: stored } = (await client.graphql(query)).data;
    expect(stored.updatedAt).toBe(stored.createdAt);
    expect(stored.createdAt).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    await client.write('PATCH', '/imgs/one', { title: 'T' });
    const { image: changed } = (await client.graphql(query)).data;
    expect(changed.createdAt).toBe(stored.createdAt);
    expect(changed.updatedAt > stored.updatedAt).toBe(true);
  });

  it.each(['nothing', 'a\0b', ''])('that is not there is null: %j', async (id) => {
    const query = 'query ($id: ID!) { image(id: $id) { title } }';
    expect(await client.graphql(query, { id })).toEqual({ data: { image: null } });
  });

  it('is found by a number as well, which is a text like any other', async () => {
    await client.write('POST', '/imgs/42', { src_path: 'p.png' });
    expect((await client.graphql('{ image(id: 42) { imageId } }')).data).toEqual({ image: { imageId: '42' } });
  });

  it('may be asked for under several names, with directives and fragments', async () => {
    await client.write('POST', '/imgs', [
      { id: 'a', src_path: 'p.png', title: 'A', city: 'Vigo' },
      { id: 'b', src_path: 'q.png', title: 'B' },
    ]);
    const query = `query ($with: Boolean!) {
      first: image(id: "a") { ...Names ... on Image { city @include(if: $with) width @skip(if: $with) } }
      second: image(id: "b") { ...Names width again: width __typename }
    }
    fragment Names on Image { imageId ...Title }
    fragment Title on Image { title }`;
    const second = { imageId: 'b', title: 'B', width: 9, again: 9, __typename: 'Image' };
    const first = { imageId: 'a', title: 'A' };
    for (let times = 0; times < 2; times += 1) {
      const [yes, no] = [await client.graphql(query, { with: true }), await client.graphql(query, { with: false })];
      expect(yes).toEqual({ data: { first: { ...first, city: 'Vigo' }, second } });
      expect(no).toEqual({ data: { first: { ...first, width: 7 }, second } });
    }
  });
});

describe('writing images', () => {
  it('without waiting gives the pending record', async () => {
    const { data } = await client.graphql(create, { images: [{ id: 'one', ...full }], wait: false });
    const { operationId } = data.result;
    expect(data.result).toEqual({
      __typename: 'PendingOperation',
      operationId: expect.any(Number),
      nTotal: 1,
      msg: `accepted; follow it as operation ${operationId}`,
    });
  });

  it('reports each failed element with its position, id, code and field', async () => {
    const images = [
      { id: 'a', srcPath: 'p.png' },
      { id: 'a', srcPath: 'p.png' },
      { id: 'b' },
      { id: 'c', srcPath: 'p.png', date: '2023-02-30' },
    ];
    const { data } = await client.graphql(create, { images });
    expect(data.result).toEqual({
      __typename: 'Operation',
      id: expect.any(Number),
      method: 'add',
      numTotal: 4,
      numGood: 1,
      numBad: 3,
      numCreated: 1,
      allGood: false,
      errors: [
        {
          position: 1,
          ref: 'a',
          code: 'duplicate_in_batch',
          field: 'id',
          msg: "duplicate_in_batch: an earlier element has this id (id 'a')",
        },
        {
          position: 2,
          ref: 'b',
          code: 'source_missing',
          field: 'src',
          msg: "source_missing: give exactly one of src and src_path (id 'b')",
        },
        {
          position: 3,
          ref: 'c',
          code: 'invalid_field',
          field: 'date',
          msg: "invalid_field: date '2023-02-30' is not YYYY-MM-DD, YYYY-MM or YYYY (id 'c')",
        },
      ],
    });
  });

  it('replaces, changes and deletes like REST', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'p.png', title: 'T', city: 'Vigo' });
    const read = async () => (await client.rest('GET', '/imgs/one?fields=title&fields=city&fields=width')).body;
    const write = async (field: string) => {
      const { data } = await client.graphql(`mutation { ${field} { ... on Operation { method numGood } } }`);
      return Object.values(data)[0];
    };
    expect(await write('updateImages(images: [{ id: "one", title: null }], wait: true)')).toEqual({
      method: 'upd',
      numGood: 1,
    });
    expect(await read()).toEqual({ title: null, city: 'Vigo', width: 7 });
    expect(await write('replaceImages(images: [{ id: "one", srcPath: "q.png" }], wait: true)')).toEqual({
      method: 'upd',
      numGood: 1,
    });
    expect(await read()).toEqual({ title: null, city: null, width: 9 });
    expect(await write('replaceImages(images: [{ id: "two", srcPath: "q.png" }], wait: true, upsert: true)')).toEqual({
      method: 'upd',
      numGood: 1,
    });
    expect(await write('deleteImages(ids: ["one", "two"], wait: true)')).toEqual({ method: 'del', numGood: 2 });
    expect((await client.rest('GET', '/imgs?count=true')).body.count).toBe(0);
  });

  it('several times in one document runs one after the other, in the order of the document', async () => {
    const { data } = await client.graphql(`mutation {
      a: createImages(images: [{ id: "x", srcPath: "p.png" }], wait: true) { ... on Operation { numGood } }
      b: deleteImages(ids: ["x"], wait: true) { ... on Operation { numGood } }
      c: createImages(images: [{ id: "x", srcPath: "q.png" }], wait: true) { ... on Operation { numGood } }
    }`);
    expect(data).toEqual({ a: { numGood: 1 }, b: { numGood: 1 }, c: { numGood: 1 } });
    expect((await client.rest('GET', '/imgs/x?fields=width')).body).toEqual({ width: 9 });
  });

  it('is strict about names that the caller lists as unknown', async () => {
    const images = [{ id: 'a', srcPath: 'p.png', unknownFields: ['titel'] }];
    const { data } = await client.graphql(create, { images, strict: true });
    expect(data.result.errors).toMatchObject([{ position: 0, code: 'invalid_field', field: 'titel' }]);
    expect((await client.graphql(create, { images })).data.result).toMatchObject({ numGood: 1, errors: [] });
  });
});

describe('listing images', () => {
  beforeEach(async () => {
    await client.write('POST', '/imgs', [
      { id: 'b', src_path: 'p.png', title: 'alpha' },
      { id: 'a', src_path: 'q.png' },
      { id: 'c', src_path: 'p.png', title: 'beta' },
    ]);
  });

  it('sorts, pages, counts and walks by cursor like REST', async () => {
    const query = `query ($cursor: String) {
      images(limit: 2, sortBy: title, sortOrder: asc, cursor: $cursor) { results { imageId } cursor count }
    }`;
    const { images: first } = (await client.graphql(query)).data;
    expect(first).toEqual({ results: [{ imageId: 'b' }, { imageId: 'c' }], cursor: expect.any(String), count: 3 });
    const rest = await client.rest('GET', '/imgs?limit=2&sort_by=title&sort_order=asc&cursor=');
    expect(rest.body.cursor).toBe(first.cursor);
    const { images: second } = (await client.graphql(query, { cursor: first.cursor })).data;
    expect(second).toEqual({ results: [{ imageId: 'a' }], cursor: null, count: 3 });
    const page = '{ images(limit: 2, page: 2, sortBy: title, sortOrder: asc) { results { imageId } cursor } }';
    expect((await client.graphql(page)).data.images).toEqual({ results: [{ imageId: 'a' }], cursor: null });
  });

  it('may ask for nothing but the count, or nothing but a cursor', async () => {
    expect((await client.graphql('{ images { count } }')).data).toEqual({ images: { count: 3 } });
    expect((await client.graphql('{ images { cursor } }')).data).toEqual({ images: { cursor: null } });
    const { data } = await client.graphql('{ images { results { __typename } } }');
    expect(data.images.results).toEqual([{ __typename: 'Image' }, { __typename: 'Image' }, { __typename: 'Image' }]);
  });
});

describe('the schema', () => {
  it('has every field of the contract under its own spelling', () => {
    const { Image, ImageInput, ImageSort } = schema.getTypeMap() as Record<string, any>;
    expect(Object.keys(Image.getFields())).toEqual(expect.arrayContaining(imageFields.map(schemaName)));
    const changes = [
      'changeKeywords',
      'changeCategories',
      'changeCollections',
      'changeLockedFields',
      'changeRefusedKeywords',
    ];
    const inputs = ['id', ...imageWriteFields.map(({ name }) => schemaName(name)), ...changes, 'unknownFields'];
    expect(Object.keys(ImageInput.getFields()).toSorted()).toEqual(inputs.toSorted());
    const sorts = ImageSort.getValues().map(({ name }: { name: string }) => name);
    // The order of a collection is GraphQL's alone: the contract has no `sort_by` for it.
    const ofRest = [...imageSorts.contract, ...imageSorts.also].filter((name) => name !== '');
    expect(sorts.toSorted()).toEqual([...ofRest, 'collection'].toSorted());
  });

  it('describes every type, field and argument', () => {
    const bare: string[] = [];
    for (const type of Object.values(schema.getTypeMap()) as any[]) {
      if (type.name.startsWith('__') || ['String', 'Int', 'Boolean', 'ID', 'Float'].includes(type.name)) continue;
      if (!type.description) bare.push(type.name);
      for (const field of Object.values(type.getFields?.() ?? {}) as any[]) {
        if (!field.description) bare.push(`${type.name}.${field.name}`);
        for (const argument of field.args ?? []) {
          if (!argument.description) bare.push(`${type.name}.${field.name}(${argument.name})`);
        }
      }
    }
    expect(bare).toEqual([]);
  });
});
