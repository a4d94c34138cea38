import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsOf } from '../support/effort.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;
let other: Client;

const countries = ['Spain', 'France', null];

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client();
  other = await world.client({ tenant: 'another' });
  await world.picture('a.png');
  const images = Array.from({ length: 47 }, (_, n) => ({
    id: `i${(n * 7) % 47}`,
    src_path: 'a.png',
    title: n % 3 === 0 ? null : `harbor ${n % 5}`,
    country: countries[n % 3],
    date: n % 4 === 0 ? null : `20${10 + (n % 6)}`,
  }));
  await client.write('POST', '/imgs', images.slice(0, 20));
  await client.write('POST', '/imgs', images.slice(20));
  await other.write('POST', '/imgs', [{ id: 'theirs', src_path: 'a.png' }]);
});

type Edge = Readonly<{ cursor: string; node: Readonly<{ imageId: string }> }>;

async function connectionOf(args: string) {
  const query = `{ imagesConnection(${args}) {
    edges { cursor node { imageId } } nodes { imageId title } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  const { data, errors } = await client.graphql(query);
  expect(errors).toBeUndefined();
  return data.imagesConnection;
}

const idsOf = (edges: readonly Edge[]) => edges.map(({ node }) => node.imageId);

describe('a connection', () => {
  const lists = fc.record({
    q: fc.constantFrom('', 'country:Spain', '-country:France', 'harbor', 'harbor country:Spain', 'title:nothing'),
    sortBy: fc.constantFrom('', 'date', 'title', 'n_faces', 'image_id', 'aspect_ratio'),
    sortOrder: fc.constantFrom('asc', 'desc'),
  });

  it('has what the pages have, in any part, forward and backward, with the same cursors', async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.nat(46), fc.integer({ min: 1, max: 30 }), async (list, index, size) => {
        const args = `q: "${list.q}", sortOrder: ${list.sortOrder}${list.sortBy === '' ? '' : `, sortBy: ${list.sortBy}`}`;
        const page = await client.graphql(
          `{ images(${args}, limit: ${size}) { count cursor } all: images(${args}, limit: 1000) { results { imageId } } }`,
        );
        expect(page.errors).toBeUndefined();
        const ids: string[] = page.data.all.results.map(({ imageId }: { imageId: string }) => imageId);
        const all = await connectionOf(`${args}, first: 1000`);
        expect(idsOf(all.edges)).toEqual(ids);
        expect(all.totalCount).toBe(ids.length);
        expect(all.edges[size - 1]?.cursor ?? null).toBe(
          page.data.images.cursor ?? all.edges[size - 1]?.cursor ?? null,
        );
        expect(idsOf((await connectionOf(`${args}, last: ${size}`)).edges)).toEqual(ids.slice(-size));
        if (ids.length === 0) return;

        const at = index % ids.length;
        const { cursor } = all.edges[at];
        const after = await connectionOf(`${args}, first: ${size}, after: "${cursor}"`);
        expect(idsOf(after.edges)).toEqual(ids.slice(at + 1, at + 1 + size));
        expect(after.pageInfo).toEqual({
          hasNextPage: at + 1 + size < ids.length,
          hasPreviousPage: true,
          startCursor: all.edges[at + 1]?.cursor ?? null,
          endCursor: all.edges.slice(at + 1, at + 1 + size).at(-1)?.cursor ?? null,
        });
        const before = await connectionOf(`${args}, last: ${size}, before: "${cursor}"`);
        expect(idsOf(before.edges)).toEqual(ids.slice(Math.max(0, at - size), at));
        expect(before.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: at - size > 0 });
        expect(before.totalCount).toBe(ids.length);
      }),
      { numRuns: runsOf('walks through lists') },
    );
  }, 120_000);

  it('has fifty elements where nothing is said', async () => {
    const { data } = await client.graphql('{ imagesConnection { nodes { id } pageInfo { hasNextPage } } }');
    expect(data.imagesConnection.nodes).toHaveLength(47);
    expect(data.imagesConnection.pageInfo).toEqual({ hasNextPage: false });
  });

  it('of videos is there, too', async () => {
    const { data } = await client.graphql('{ videosConnection(last: 3) { edges { cursor } totalCount } }');
    expect(data.videosConnection).toEqual({ edges: [], totalCount: 0 });
  });

  it.each([
    ['first: 0', 'first', 'first must be between 1 and 10000'],
    ['first: 10001', 'first', 'first must be between 1 and 10000'],
    ['last: 0', 'last', 'last must be between 1 and 10000'],
    ['first: 1, last: 1', 'last', 'last cannot be given with first'],
    ['last: 1, after: "x"', 'after', 'after cannot be given with last'],
    ['before: "x"', 'before', 'before needs last'],
    ['first: 1, before: "x"', 'before', 'before needs last'],
    ['first: 1, after: "x"', 'after', 'The cursor does not match this query and order'],
    ['last: 1, before: "x"', 'before', 'The cursor does not match this query and order'],
  ])('with (%s) names the argument %s', async (args, argument, message) => {
    const { errors } = await client.graphql(`{ imagesConnection(${args}) { nodes { id } } }`);
    expect(errors).toMatchObject([{ message, extensions: { code: 'invalid_argument', argument } }]);
  });
});

describe('a node', () => {
  const nodeIdOf = async (by: Client, id: string): Promise<string> =>
    (await by.graphql(`{ image(id: "${id}") { nodeId } }`)).data.image.nodeId;
  const textOf = (type: string) => Buffer.from(type).toString('base64url');

  it('is found by the id that its record has, with the fields of its type', async () => {
    const nodeId = await nodeIdOf(client, 'i7');
    const query = `{ node(id: "${nodeId}") { __typename nodeId ... on Image { imageId width } ... on Video { videoId } } }`;
    expect((await client.graphql(query)).data).toEqual({
      node: { __typename: 'Image', nodeId, imageId: 'i7', width: 40 },
    });
  });

  it('is null for another tenant, for another type, and for what is no node id', async () => {
    const ids = [
      await nodeIdOf(other, 'theirs'),
      textOf('Video:i7'),
      textOf('ApiKey:1'),
      textOf('i7'),
      'i7',
      '',
      `${textOf('Image:i7')}=`,
      textOf('Image:\0'),
    ];
    for (const id of ids)
      expect((await client.graphql(`{ node(id: "${id}") { nodeId } }`)).data, id).toEqual({ node: null });
    const { data } = await client.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { nodeId } }', { ids });
    expect(data.nodes).toEqual(ids.map(() => null));
  });

  it('is found among others, in the order that was asked for, as often as it was', async () => {
    const ids = [textOf('Image:i3'), textOf('Image:none'), textOf('Image:i1'), textOf('Image:i3')];
    const { data } = await client.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Image { id } } }', { ids });
    expect(data.nodes).toEqual([{ id: 'i3' }, null, { id: 'i1' }, { id: 'i3' }]);
    const many = Array.from({ length: 1001 }, (_, i) => `${i}`);
    const refused = await client.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { nodeId } }', { ids: many });
    expect(refused.errors).toMatchObject([{ extensions: { code: 'invalid_argument', argument: 'ids' } }]);
  });

  it('has the same id in pages, connections and the groups of duplicates', async () => {
    const { data } = await client.graphql(
      '{ images(q: "id:i5") { results { nodeId } } imagesConnection(q: "id:i5") { nodes { nodeId } edges { node { nodeId } } } }',
    );
    const node = { nodeId: textOf('Image:i5') };
    expect(data).toEqual({
      images: { results: [node] },
      imagesConnection: { nodes: [node], edges: [{ node }] },
    });
  });
});
