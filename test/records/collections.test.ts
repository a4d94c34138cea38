import { describe, expect, it } from 'vitest';
import { clipInto } from '../support/clips.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client();
  await world.picture('a.png');
  await client.write(
    'POST',
    '/imgs',
    ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, src_path: 'a.png', title: `Title ${id}` })),
  );
  await client.write('POST', '/vids/v', { src_path: await clipInto(world.media, 'c.webm') });
});

const change = async (field: string) => (await client.graphql(`mutation { change: ${field} }`)).data.change;
const make = (name: string) => change(`createCollection(name: "${name}") { name images videos }`);
const add = (name: string, ids: readonly string[], more = '') =>
  change(
    `addToCollection(name: "${name}", ids: ${JSON.stringify(ids)}${more}) { changed missing collection { images videos } }`,
  );
const move = (name: string, ids: readonly string[], at: number) =>
  change(`moveInCollection(name: "${name}", ids: ${JSON.stringify(ids)}, at: ${at}) { changed missing }`);
const listed = async (name: string, order = 'asc') => {
  const q = encodeURIComponent(`collection:"${name}"`);
  const { data, errors } = await client.graphql(
    `query ($q: String!) { images(q: $q, sortBy: collection, sortOrder: ${order}) { count results { imageId } } }`,
    { q: decodeURIComponent(q) },
  );
  expect(errors).toBeUndefined();
  return data.images.results.map(({ imageId }: { imageId: string }) => imageId).join('');
};
const audited = async (action: string) =>
  (await client.graphql(`{ auditTrail(action: "${action}") { results { subject } } }`)).data.auditTrail.results[0];

describe('a collection', () => {
  it('takes what a formula finds, in the order that is asked for', async () => {
    await make('Found');
    const found = (more: string) => change(`addToCollection(name: "Found", ${more}) { changed }`);
    expect(await found('q: "id:b,d,e", sortBy: "title", sortOrder: desc')).toEqual({ changed: 3 });
    expect(await listed('Found')).toBe('edb');
    expect(await found('q: "", sortBy: "title", sortOrder: asc')).toEqual({ changed: 2 });
    expect(await listed('Found')).toBe('edbac');
    expect(await found('q: "", resource: video')).toEqual({ changed: 1 });
    for (const both of ['', 'q: "", ids: ["a"], ', 'q: "title:nothing", ', 'q: "title:(", ']) {
      const document = `mutation { addToCollection(name: "Found", ${both}resource: image) { changed } }`;
      const { errors } = await client.graphql(document);
      expect(errors?.[0]?.extensions.code, both).toMatch(/^invalid_(argument|formula)$/);
    }
    await change('deleteCollection(name: "Found") { name }');
  });

  it('has its records in the order in which they were added, moved and removed', async () => {
    expect(await make('Covers of May')).toEqual({ name: 'Covers of May', images: 0, videos: 0 });
    expect(await add('Covers of May', ['c', 'a', 'none', 'a'])).toEqual({
      changed: 2,
      missing: ['none'],
      collection: { images: 2, videos: 0 },
    });
    expect(await listed('Covers of May')).toBe('ca');
    await add('Covers of May', ['e', 'a'], ', at: 1');
    expect(await listed('Covers of May')).toBe('cea');
    await add('Covers of May', ['b', 'd']);
    expect(await listed('Covers of May')).toBe('ceabd');
    expect(await move('Covers of May', ['d', 'c', 'none'], 1)).toEqual({ changed: 2, missing: ['none'] });
    expect(await listed('Covers of May')).toBe('edcab');
    expect(await listed('Covers of May', 'desc')).toBe('bacde');
    await move('Covers of May', ['e'], 99);
    expect(await listed('Covers of May')).toBe('dcabe');
    const removed = await change('removeFromCollection(name: "Covers of May", ids: ["a", "none"]) { changed missing }');
    expect(removed).toEqual({ changed: 1, missing: ['none'] });
    expect(await listed('Covers of May')).toBe('dcbe');
    expect(await audited('collection.changed')).toEqual({ subject: 'Covers of May: 1 images removed' });
  });

  it('is found by a formula with other terms, explained, completed, and walked by a cursor', async () => {
    await make('Walk');
    await add('Walk', ['e', 'b', 'a']);
    const { body } = await client.rest('GET', `/imgs?q=${encodeURIComponent('collection:Walk title:b')}`);
    expect(body.results).toHaveLength(1);
    const { body: others } = await client.rest('GET', `/imgs?q=${encodeURIComponent('-collection:Walk')}&count=true`);
    expect(others.count).toBe(2);
    const explained = await client.graphql('{ explainFormula(q: "collection:Walk") { sentence count } }');
    expect(explained.data.explainFormula).toEqual({
      sentence: 'Images that have a place in the collection “Walk”.',
      count: 3,
    });
    const completed = await client.graphql('{ formulaCompletions(text: "collection:wa") { results { text kind } } }');
    expect(completed.data.formulaCompletions.results).toEqual([{ text: 'Walk', kind: 'collection' }]);
    const seen: string[] = [];
    for (let cursor: string | null = null, times = 0; times < 3; times += 1) {
      const page = await client.graphql(
        `query ($cursor: String) { images(q: "collection:Walk", sortBy: collection, sortOrder: asc, limit: 1, cursor: $cursor) {
          cursor results { imageId } } }`,
        { cursor },
      );
      seen.push(page.data.images.results[0].imageId);
      ({ cursor } = page.data.images);
    }
    expect(seen).toEqual(['e', 'b', 'a']);
    const unsorted = await client.graphql('{ images(sortBy: collection) { results { imageId } } }');
    expect(unsorted.errors).toMatchObject([{ extensions: { code: 'invalid_argument', argument: 'sortBy' } }]);
  });

  it('loses a record that is deleted, has it again at its place when that is undone, and not when it was purged', async () => {
    await make('Undone');
    await add('Undone', ['a', 'b', 'c']);
    const { operation_id: id } = await client.write('DELETE', '/imgs/b');
    expect(await listed('Undone')).toBe('ac');
    await client.write('POST', `/ops/${id}/undo`);
    expect(await listed('Undone')).toBe('abc');
    await client.write('DELETE', '/imgs/b');
    await client.write('POST', '/imgs/b', { src_path: 'a.png' });
    expect(await listed('Undone')).toBe('ac');
    await add('Undone', ['b']);
    await client.write('POST', '/imgs/b/purge');
    expect(await listed('Undone')).toBe('ac');
    const { rows } = await world.backing.database.pool.query(
      `SELECT FROM record_attachment WHERE kind = 'collection_image' AND content ->> 'row_id' NOT IN (SELECT row_id::text FROM image)`,
    );
    expect(rows).toEqual([]);
    await client.write('POST', '/imgs/b', { src_path: 'a.png', title: 'Title b' });
  });

  it('has videos in an order of their own', async () => {
    await make('Both');
    await add('Both', ['a']);
    const { collection, missing } = await add('Both', ['v', 'a'], ', resource: video');
    expect([collection, missing]).toEqual([{ images: 1, videos: 1 }, ['a']]);
    const { data } = await client.graphql(
      '{ videos(q: "collection:Both", sortBy: collection) { results { videoId } } }',
    );
    expect(data.videos.results).toEqual([{ videoId: 'v' }]);
    const narrow = await world.client({ role: 'editor', scopes: ['collections:write', 'imgs:read'] });
    const { errors } = await narrow.graphql(
      'mutation { addToCollection(name: "Both", resource: video, ids: ["v"]) { changed } }',
    );
    expect(errors).toMatchObject([{ extensions: { code: 'forbidden', requiredScope: 'vids:read' } }]);
  });

  it('is listed, renamed and deleted, and its records stay', async () => {
    await make('Former');
    await add('Former', ['a', 'c']);
    const named = await change('renameCollection(name: "Former", to: "Later") { name images }');
    expect(named).toEqual({ name: 'Later', images: 2 });
    const { data } = await client.graphql('{ collections { count results { name } } }');
    expect(data.collections.results.map(({ name }: { name: string }) => name)).toEqual(
      ['Both', 'Covers of May', 'Later', 'Undone', 'Walk'].slice(0, data.collections.count),
    );
    expect(await change('deleteCollection(name: "Later", dryRun: true) { images }')).toEqual({ images: 2 });
    expect(await change('deleteCollection(name: "Later") { images }')).toEqual({ images: 2 });
    expect(await change('deleteCollection(name: "Later") { images }')).toBeNull();
    expect((await client.rest('GET', '/imgs/a')).status).toBe(200);
    expect(await audited('collection.renamed')).toEqual({ subject: 'Former → Later' });
  });

  it.each([
    ['createCollection(name: "Walk") { name }', 'invalid_argument', `A collection 'Walk' already exists`],
    ['createCollection(name: " ") { name }', 'invalid_argument', 'A name must have 1 to 100 characters'],
    ['renameCollection(name: "Both", to: "Walk") { name }', 'invalid_argument', `A collection 'Walk' already exists`],
    ['renameCollection(name: "None", to: "New") { name }', 'not_found', `There is no collection 'None'`],
    ['addToCollection(name: "None", ids: ["a"]) { changed }', 'not_found', `There is no collection 'None'`],
    ['addToCollection(name: "Walk", ids: []) { changed }', 'invalid_argument', 'ids must be 1 to 10000'],
    ['moveInCollection(name: "Walk", ids: ["a"], at: -1) { changed }', 'invalid_argument', 'at must be 0 or more'],
  ])('refuses %s', async (field, code, message) => {
    const { errors = [] } = await client.graphql(`mutation { ${field} }`);
    expect(errors[0]?.extensions['code']).toBe(code);
    expect(errors[0]?.message).toContain(message);
  });

  it('gets no name that another one gets at the same time', async () => {
    for (const name of ['One', 'Two']) await make(name);
    const other = await world.backing.database.pool.connect();
    await other.query(`BEGIN; UPDATE collection SET name = 'Three' WHERE name = 'One'`);
    const renaming = client.graphql('mutation { renameCollection(name: "Two", to: "Three") { name } }');
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE collection%'`;
    await expect.poll(async () => (await world.backing.database.pool.query(waiting)).rowCount).toBe(1);
    await other.query('COMMIT');
    other.release();
    const { errors = [] } = await renaming;
    expect(errors).toMatchObject([{ extensions: { code: 'invalid_argument', argument: 'to' } }]);
    for (const name of ['Two', 'Three']) await change(`deleteCollection(name: "${name}") { name }`);
  });

  it('takes changes at the same time one after the other', async () => {
    await make('Busy');
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => add('Busy', [id], ', at: 0')));
    expect((await listed('Busy')).split('').toSorted().join('')).toBe('abcde');
  });

  it('is of its tenant only', async () => {
    const stranger = await world.client();
    const { data } = await stranger.graphql('{ collections { count } collection(name: "Walk") { name } }');
    expect(data).toEqual({ collections: { count: 0 }, collection: null });
    const found = await stranger.graphql('{ images(q: "collection:Walk") { count } }');
    expect(found.data.images.count).toBe(0);
  });
});
