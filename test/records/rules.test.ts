import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { finished, heldNetwork, holdSource, operation, send } from '../operations/support.ts';
import { kinds } from './kinds.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld({ sourceAllow: heldNetwork });
});
afterAll(() => world.close());

describe.each(kinds)('the rules of records, for $resource records:', (kind) => {
  let client: Client;
  /** A write that has what a new record needs. */
  let one: { src_path: string };

  beforeAll(async () => {
    client = await world.client();
    one = { src_path: await kind.source(world, 'p') };
  });

  const at = (id: string) => `${kind.path}/${id}`;

  async function read(id: string, ...fields: string[]): Promise<any> {
    const query = fields.map((field) => `fields=${field}`).join('&');
    const { status, body } = await client.rest('GET', `${at(id)}?${query}`);
    return status === 200 ? body : status;
  }

  async function ids(of = client): Promise<string[]> {
    const { body } = await of.rest('GET', `${kind.path}?fields=${kind.id}&limit=10000`);
    return body.results.map((record: Record<string, string>) => record[kind.id]).toSorted();
  }

  it('a record is created, read, patched, replaced and deleted, by operations about its resource', async () => {
    const created = await client.rest('POST', `${at('life')}?wait=true`, { ...one, title: 'First', city: 'Vigo' });
    expect([created.status, created.body]).toMatchObject([
      201,
      { method: 'add', resource: kind.resource, num_total: 1, num_good: 1, num_bad: 0, all_good: true, errors: [] },
    ]);
    const { width, height } = kind.size;
    expect(await read('life', 'title', 'city', 'width', 'height')).toEqual({
      title: 'First',
      city: 'Vigo',
      width,
      height,
    });
    const patched = await client.rest('PATCH', `${at('life')}?wait=true`, { title: 'Second' });
    expect([patched.status, patched.body]).toMatchObject([
      200,
      { method: 'upd', resource: kind.resource, num_good: 1 },
    ]);
    expect(await read('life', 'title', 'city')).toEqual({ title: 'Second', city: 'Vigo' });
    const replaced = await client.rest('PUT', `${at('life')}?wait=true`, { ...one, headline: 'Third' });
    expect([replaced.status, replaced.body]).toMatchObject([200, { method: 'upd', num_good: 1 }]);
    expect(await read('life', 'title', 'headline', 'city')).toEqual({ title: null, headline: 'Third', city: null });
    const deleted = await client.rest('DELETE', `${at('life')}?wait=true`);
    expect([deleted.status, deleted.body]).toMatchObject([
      200,
      { method: 'del', resource: kind.resource, num_good: 1 },
    ]);
    expect(await client.rest('GET', at('life'))).toMatchObject({
      status: 404,
      body: { detail: `${kind.type} not found` },
    });
  });

  it('a write that is not waited for is answered 202 with its operation', async () => {
    const { status, body } = await client.rest('POST', at('pending'), one);
    expect([status, body]).toEqual([202, { operation_id: expect.any(Number), n_total: 1, msg: expect.any(String) }]);
    expect(await finished(client, body.operation_id)).toMatchObject({ resource: kind.resource, num_good: 1 });
  });

  it('POST of an id that exists and other writes of one that does not are errors of their element', async () => {
    await client.write('POST', at('known'), one);
    const fault = (code: string, text: string, id: string) => [
      { id: 0, msg: `${code}: ${text} (id '${id}')`, ref: id, code, field: 'id' },
    ];
    const again = await client.write('POST', at('known'), one);
    expect(again.errors).toEqual(fault('already_exists', `${kind.one} with this id already exists`, 'known'));
    const missing = fault('not_found', `no ${kind.resource} has this id`, 'nobody');
    expect((await client.write('PUT', at('nobody'), one)).errors).toEqual(missing);
    expect((await client.write('PATCH', at('nobody'), { title: 'x' })).errors).toEqual(missing);
    expect((await client.write('DELETE', at('nobody'))).errors).toEqual(missing);
  });

  it('PUT creates with upsert=true only', async () => {
    const { status, body } = await client.rest('PUT', `${at('upserted')}?wait=true&upsert=true`, {
      ...one,
      title: 'new',
    });
    expect([status, body.method, body.num_good]).toEqual([201, 'upd', 1]);
    const again = await client.rest('PUT', `${at('upserted')}?wait=true&upsert=true`, { ...one, city: 'Vigo' });
    expect([again.status, await read('upserted', 'title', 'city')]).toEqual([200, { title: null, city: 'Vigo' }]);
  });

  describe('PATCH', () => {
    const full = { title: 'T', city: 'C', nsfw: false, keywords: ['a', 'b'], date: '2024-02', status: 'new' };
    const fields = Object.keys(full);

    it('keeps what is absent and clears what is null', async () => {
      await client.write('POST', at('patched'), { ...one, ...full });
      await client.write('PATCH', at('patched'), { title: 'U' });
      expect(await read('patched', ...fields)).toEqual({ ...full, title: 'U' });
      await client.write('PATCH', at('patched'), { city: null, nsfw: null, keywords: null, date: null });
      expect(await read('patched', ...fields)).toEqual({
        ...full,
        title: 'U',
        city: null,
        nsfw: null,
        keywords: null,
        date: null,
      });
    });

    it('keeps an empty text and an empty list, which are not null', async () => {
      await client.write('POST', at('empty'), { ...one, ...full });
      await client.write('PATCH', at('empty'), { title: '', keywords: [] });
      expect(await read('empty', 'title', 'keywords')).toEqual({ title: '', keywords: [] });
    });

    it('of the source reads its facts again, and clears the other source', async () => {
      await client.write('POST', at('moved'), one);
      const { errors } = await client.write('PATCH', at('moved'), { src: 'http://127.0.0.1:9/none' });
      expect(errors).toMatchObject([{ code: 'source_unreachable', field: 'src' }]);
      expect(await read('moved', 'src')).toEqual({ src: null });
      const { num_good: good } = await client.write('PATCH', at('moved'), { src_path: await kind.source(world, 'q') });
      expect([good, await read('moved', 'src', 'width')]).toEqual([1, { src: null, width: kind.size.width }]);
    });
  });

  it('lists keep their order and drop exact repeats', async () => {
    await client.write('POST', at('lists'), { ...one, keywords: ['b', 'a', 'b', 'B', 'a'], collections: ['x', 'x'] });
    expect(await read('lists', 'keywords', 'collections', 'categories')).toEqual({
      keywords: ['b', 'a', 'B'],
      collections: ['x'],
      categories: null,
    });
  });

  it.each([
    ['both sources', { src: 'http://example.org/a', src_path: 'p' }, 'source_conflict', 'src'],
    ['no source', { title: 'x' }, 'source_missing', 'src'],
    ['a path out of the media folders', { src_path: '/etc/hostname' }, 'source_forbidden', 'src_path'],
    ['a file that is missing', { src_path: 'none' }, 'source_unreachable', 'src_path'],
    ['an address that is private', { src: 'http://10.0.0.1/a' }, 'source_forbidden', 'src'],
    ['a day that does not exist', { src_path: 'p', date: '2023-02-30' }, 'invalid_field', 'date'],
    ['a status that is too long', { src_path: 'p', status: 'x'.repeat(65) }, 'invalid_field', 'status'],
  ])('%s fails its element', async (_what, values, code, field) => {
    const { num_bad: bad, errors } = await client.write('POST', at('faulty'), values);
    expect([bad, errors]).toMatchObject([1, [{ id: 0, ref: 'faulty', code, field }]]);
    expect(await read('faulty', 'title')).toBe(404);
  });

  it('a field of the wrong type is a fault of the request', async () => {
    const { status, body } = await client.rest('POST', kind.path, [{ id: 'a', ...one, keywords: 'x' }]);
    expect([status, body.detail]).toMatchObject([422, [{ type: 'list_type', loc: ['body', '0', 'keywords'] }]]);
  });

  it('the language is that of the write: Spanish when none is named, and a PATCH keeps it', async () => {
    const languages = async (id: string) => {
      const { rows } = await world.backing.database.pool.query(
        `SELECT lang FROM ${kind.resource} WHERE ${kind.id} = $1`,
        [id],
      );
      return rows.map(({ lang }) => lang);
    };
    await client.write('POST', `${at('spoken')}?lang=fr`, one);
    await client.write('PATCH', at('spoken'), { title: 'x' });
    expect(await languages('spoken')).toEqual(['fr']);
    await client.write('PATCH', `${at('spoken')}?lang=en`, { title: 'x' });
    expect(await languages('spoken')).toEqual(['en']);
    await client.write('PUT', at('spoken'), one);
    expect(await languages('spoken')).toEqual(['es']);
  });

  describe('a batch', () => {
    it('creates, replaces, patches and deletes, and stands alone with each element', async () => {
      const own = await world.client();
      const three = ['a', 'b', 'c'].map((id) => ({ id, ...one, title: id }));
      expect(await own.write('POST', kind.path, three)).toMatchObject({ num_total: 3, num_good: 3 });
      const put = [
        { id: 'a', ...one, city: 'Vigo' },
        { id: 'nobody', ...one },
      ];
      expect(await own.write('PUT', kind.path, put)).toMatchObject({
        num_good: 1,
        num_bad: 1,
        all_good: false,
        errors: [{ id: 1, ref: 'nobody', code: 'not_found' }],
      });
      const patch = [
        { id: 'b', title: 'patched' },
        { id: 'b', title: 'again' },
      ];
      expect(await own.write('PATCH', kind.path, patch)).toMatchObject({
        num_good: 1,
        errors: [{ id: 1, ref: 'b', code: 'duplicate_in_batch' }],
      });
      expect(await own.write('DELETE', kind.path, [{ id: 'c' }])).toMatchObject({ method: 'del', num_good: 1 });
      expect(await ids(own)).toEqual(['a', 'b']);
      expect(await own.write('POST', `${kind.path}/delete`, [{ id: 'a' }, { id: 'b' }])).toMatchObject({ num_good: 2 });
      expect(await ids(own)).toEqual([]);
    });

    it('without elements is a fault of the request', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const { status, body } = await client.rest(method, kind.path, []);
        expect([status, body.detail[0].type]).toEqual([422, 'too_short']);
      }
    });
  });

  describe('a strict batch', () => {
    it('stores nothing when one element fails, and lists every element', async () => {
      const own = await world.client();
      const batch = [{ id: 'a', ...one }, { id: 'b' }, { id: 'c', ...one }];
      expect(await own.write('POST', `${kind.path}?strict=true`, batch)).toMatchObject({
        num_good: 0,
        num_bad: 3,
        do_strict: true,
        errors: [
          { id: 0, code: 'strict_rollback' },
          { id: 1, code: 'source_missing' },
          { id: 2, code: 'strict_rollback' },
        ],
      });
      expect(await ids(own)).toEqual([]);
      expect(await own.write('POST', `${kind.path}?strict=true`, [batch[0], batch[2]])).toMatchObject({ num_good: 2 });
    });

    it('refuses a field that the contract does not know, which others ignore', async () => {
      const written = { ...one, titel: 'x' };
      expect(await client.write('POST', at('loose'), written)).toMatchObject({ num_good: 1 });
      expect((await client.write('POST', `${at('tight')}?strict=true`, written)).errors).toMatchObject([
        { code: 'invalid_field', field: 'titel' },
      ]);
    });
  });

  describe('an operation that is aborted', () => {
    it('while it waits applies nothing, and while it runs keeps what is stored', async () => {
      const own = await world.client();
      const held = await holdSource();
      try {
        const running = await send(own, 'POST', kind.path, [{ id: 'held', src: held.url }]);
        await held.asked;
        const waiting = await send(own, 'POST', kind.path, [{ id: 'never', ...one }]);
        expect((await own.rest('DELETE', `/ops/${waiting}`)).body).toMatchObject({
          is_finished: true,
          is_aborted: true,
        });
        await own.rest('DELETE', `/ops/${running}`);
        expect(await finished(own, running)).toMatchObject({
          is_aborted: true,
          num_good: 0,
          num_bad: 0,
          all_good: null,
          resource: kind.resource,
        });
        expect(await operation(own, waiting)).toMatchObject({ num_good: 0, num_bad: 0, errors: [] });
        expect(await ids(own)).toEqual([]);
      } finally {
        await held.close();
      }
    });
  });

  it('GraphQL writes and reads the same', async () => {
    const own = await world.client();
    const input = { id: 'g', srcPath: one.src_path, title: 'By GraphQL', [kind.text]: 'long', keywords: ['k'] };
    const mutate = (stem: string, field: string) =>
      own.graphql(
        `mutation ($in: [${kind.type}Input!]!) { ${stem}(${kind.list}: $in, wait: true, ${field}) { ... on Operation { resource numGood numCreated errors { code } } } }`,
        { in: [input] },
      );
    const made = await mutate(`create${kind.type}s`, 'lang: en');
    expect(made.data[`create${kind.type}s`]).toEqual({
      resource: kind.resource,
      numGood: 1,
      numCreated: 1,
      errors: [],
    });
    const replaced = await mutate(`replace${kind.type}s`, 'upsert: true');
    expect(replaced.data[`replace${kind.type}s`]).toMatchObject({ numGood: 1, numCreated: 0 });
    const { data } = await own.graphql(
      `{ ${kind.resource}(id: "g") { title ${kind.text} keywords width srcPath }
         ${kind.list}(q: "graphql") { count results { title } } }`,
    );
    const expected = { title: 'By GraphQL', [kind.text]: 'long', keywords: ['k'], width: kind.size.width };
    expect(data[kind.resource]).toEqual({ ...expected, srcPath: one.src_path });
    expect(data[kind.list]).toEqual({ count: 1, results: [{ title: 'By GraphQL' }] });
    const changed = await own.graphql(
      `mutation { update${kind.type}s(${kind.list}: [{ id: "g", title: null }], wait: true) { ... on Operation { numGood } }
         delete${kind.type}s(ids: ["g", "h"], wait: true) { ... on Operation { numGood errors { ref } } } }`,
    );
    expect(changed.data).toEqual({
      [`update${kind.type}s`]: { numGood: 1 },
      [`delete${kind.type}s`]: { numGood: 1, errors: [{ ref: 'h' }] },
    });
  });
});

it('an image and a video of one id are two records', async () => {
  const client = await world.client();
  for (const kind of kinds) {
    const source = await kind.source(world, 'same');
    expect(await client.write('POST', `${kind.path}/same`, { src_path: source })).toMatchObject({ num_good: 1 });
  }
  await client.write('DELETE', '/imgs/same');
  expect((await client.rest('GET', '/vids/same')).status).toBe(200);
  expect((await client.rest('GET', '/imgs/same')).status).toBe(404);
});
