import { describe, expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import { openWorld } from '../support/world.ts';
import type { Answer, Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client();
  await world.picture('a.png');
});

const src = { src_path: 'a.png' };
const create = (id: string) => client.write('POST', '/imgs', [{ id, ...src, title: 'first' }]);
const titleOf = async (id: string) => (await client.rest('GET', `/imgs/${id}?fields=title`)).body.title;
const tagOf = async (path: string) => (await client.rest('GET', path)).headers.get('etag') ?? '';
const failed = [412, { code: 'precondition_failed', detail: expect.any(String), hint: expect.any(String) }];
const reported = ({ status, body }: Answer) => [status, body];

const writes = [
  ['PUT', { ...src, title: 'second' }],
  ['PATCH', { title: 'second' }],
  ['DELETE', undefined],
] as const;

it('POST with If-Match is 412, because there is no record to match', async () => {
  for (const tag of ['*', '"1-1"']) {
    const sent = { ...src, title: 'first' };
    expect(reported(await client.rest('POST', '/imgs/unmatched', sent, { 'If-Match': tag }))).toEqual(failed);
  }
  expect((await client.rest('GET', '/imgs/unmatched')).status).toBe(404);
});

describe.each(writes)('%s with If-Match', (method, body) => {
  const send = (id: string, tag: string, query = '?wait=true', headers: Record<string, string> = {}) =>
    client.rest(method, `/imgs/${id}${query}`, body, { 'If-Match': tag, ...headers });
  const left = method === 'DELETE' ? undefined : 'second';

  it('writes the record that was read, whichever of its fields were', async () => {
    for (const [index, query] of ['', '?fields=title', '?fields=date&fields=city'].entries()) {
      const id = `${method}-as-read-${index}`;
      await create(id);
      const tag = await tagOf(`/imgs/${id}${query}`);
      expect(tag).toMatch(/^W\/"[0-9a-f]+-[0-9a-f]+\.[\w-]+"$/);
      expect((await send(id, tag)).body).toMatchObject({ num_good: 1, num_bad: 0 });
      expect(await titleOf(id)).toBe(left);
    }
  });

  it('is 412 where it was written since, at once and without a trace', async () => {
    const id = `${method}-since`;
    await create(id);
    const tag = await tagOf(`/imgs/${id}`);
    await client.write('PATCH', `/imgs/${id}`, { title: 'between' });
    const count = async () => (await client.rest('GET', '/ops')).headers.get('x-total-count');
    const before = await count();
    for (const query of ['', '?wait=true', '?upsert=true', '?strict=true'])
      expect(reported(await send(id, tag, query))).toEqual(failed);
    expect([await count(), await titleOf(id)]).toEqual([before, 'between']);
    const problem = await send(id, tag, '', { Accept: 'application/problem+json' });
    expect([problem.status, problem.body.code]).toEqual([412, 'precondition_failed']);
  });

  it('is 412 where there is no record, or another of its id', async () => {
    const id = `${method}-other`;
    await create(id);
    const tag = await tagOf(`/imgs/${id}`);
    await client.write('DELETE', `/imgs/${id}`);
    for (const each of [tag, '*']) expect(reported(await send(id, each, '?upsert=true'))).toEqual(failed);
    await create(id);
    expect(reported(await send(id, tag))).toEqual(failed);
    expect((await send(id, '*')).body).toMatchObject({ num_good: 1 });
  });

  it.each(['"abc"', 'W/"ZNIo4ST8LjgBN7D27BK-KeEGjIg"', 'abc', '""', ',', ''])(
    'is 412 for the tag of nothing: %s',
    async (tag) => {
      const id = `${method}-nothing`;
      await client.rest('POST', '/imgs?wait=true', [{ id, ...src }]);
      expect(reported(await send(id, tag))).toEqual(failed);
    },
  );

  it('takes several tags, of which one is right', async () => {
    const id = `${method}-several`;
    await create(id);
    expect((await send(id, `"x", ${await tagOf(`/imgs/${id}`)}, W/"y"`)).body).toMatchObject({ num_good: 1 });
  });

  it('is one write for its key: sent again it is answered again, with another tag it is another', async () => {
    const id = `${method}-again`;
    await create(id);
    const tag = await tagOf(`/imgs/${id}`);
    const key = { 'Idempotency-Key': id };
    const first = await send(id, tag, '?wait=true', key);
    expect((await send(id, tag, '?wait=true', key)).body).toEqual(first.body);
    expect((await send(id, '*', '?wait=true', key)).status).toBe(422);
    const refused = { 'Idempotency-Key': `${id}-refused` };
    expect((await send(id, tag, '', refused)).status).toBe(412);
    expect((await send(id, '"x"', '', refused)).status).toBe(412);
  });
});

describe('writes under way', () => {
  it('one of several with the same tag is applied, and the others fail as a whole', async () => {
    await create('race');
    const tag = await tagOf('/imgs/race');
    const send = (i: number, query: string) =>
      client.rest('PATCH', `/imgs/race${query}`, { title: `t${i}` }, { 'If-Match': tag });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => send(i, '?wait=true')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(await titleOf('race')).toBe(`t${winner}`);
  });

  it('what is only known later is an error of the operation', async () => {
    const slow = await openWorld({ worker: false });
    try {
      const own = await slow.client();
      const post = await own.rest('POST', '/imgs/later', { src: 'http://127.0.0.1:9/none.png' });
      const patch = await own.rest('PATCH', '/imgs/later', { title: 'x' }, { 'If-Match': '*' });
      expect([post.status, patch.status]).toEqual([202, 202]);
      slow.startWorker();
      const record = async () => (await own.rest('GET', `/ops/${patch.body.operation_id}`)).body;
      await expect.poll(async () => (await record()).is_finished, { timeout: 20_000 }).toBe(true);
      expect((await record()).errors).toMatchObject([{ code: 'precondition_failed', field: 'id' }]);
    } finally {
      await slow.close();
    }
  });

  it('versions follow each other also within one millisecond', async () => {
    await create('fast');
    const versions = new Set<string>();
    for (let i = 0; i < 5; i += 1) {
      const { pool } = world.backing.database;
      await pool.query("UPDATE image SET updated_at = now() + interval '1 minute' WHERE image_id = 'fast'");
      versions.add(await tagOf('/imgs/fast?fields=height'));
      await client.write('PATCH', '/imgs/fast', { title: `title ${i}` });
      versions.add(await tagOf('/imgs/fast?fields=height'));
    }
    expect(versions.size).toBe(10);
  });
});

it('a write of no field leaves the version as it is', async () => {
  await create('no-field');
  const tag = await tagOf('/imgs/no-field');
  expect(await client.write('PATCH', '/imgs/no-field', {})).toMatchObject({ num_good: 1 });
  expect(await client.write('PATCH', '/imgs/no-field', { unknown: 1 })).toMatchObject({ num_good: 1 });
  expect(await tagOf('/imgs/no-field')).toBe(tag);
  const stale = await client.rest('PATCH', '/imgs/no-field', {}, { 'If-Match': '"1-1"' });
  expect(reported(stale)).toEqual(failed);
  await client.write('PATCH', '/imgs/no-field?lang=fr', {});
  expect(await tagOf('/imgs/no-field')).not.toBe(tag);
});

it('a write of values that are stored already leaves the version as it is', async () => {
  const values = { title: 'first', keywords: ['a', 'b'], date: '1990-05', nsfw: false, city: null };
  await client.write('POST', '/imgs/same', { ...src, ...values });
  const tag = await tagOf('/imgs/same');
  const patches = [values, { title: 'first' }, { keywords: { add: ['b'] } }, { ...values, locked_fields: null }];
  for (const patch of patches) {
    expect(await client.write('PATCH', '/imgs/same', patch)).toMatchObject({ num_good: 1, num_bad: 0 });
    expect(await tagOf('/imgs/same')).toBe(tag);
  }
  for (const patch of [{ title: 'First' }, { keywords: ['b', 'a'] }, { nsfw: null }, { date: '1990' }]) {
    const before = await tagOf('/imgs/same');
    await client.write('PATCH', '/imgs/same', patch);
    expect(await tagOf('/imgs/same')).not.toBe(before);
  }
});

it('a write that respects locks, and may change only locked fields, leaves the version as it is', async () => {
  await client.write('POST', '/imgs/locked', { ...src, title: 'first', locked_fields: ['title'] });
  const tag = await tagOf('/imgs/locked');
  await client.write('PATCH', '/imgs/locked?respect_locks=true', { title: 'second' });
  expect(await tagOf('/imgs/locked')).toBe(tag);
  await client.write('PATCH', '/imgs/locked?respect_locks=true', { title: 'second', headline: 'new' });
  expect(await tagOf('/imgs/locked')).not.toBe(tag);
});

it('a write of a source that is stored already reads the file again, and is a new version', async () => {
  await create('source');
  const tag = await tagOf('/imgs/source');
  await client.write('PATCH', '/imgs/source', src);
  expect(await tagOf('/imgs/source')).not.toBe(tag);
});

describe('over GraphQL', () => {
  const update = (arguments_: string) =>
    client.graphql(
      `mutation { updateImages(${arguments_}, wait: true) { ... on Operation { numGood errors { code } } } }`,
    );

  it('a version that was read is given to ifMatch', async () => {
    await create('g');
    const { data } = await client.graphql('{ image(id: "g") { version } images(q: "id:g") { results { version } } }');
    const { version } = data.image;
    expect((await tagOf('/imgs/g')).startsWith(`W/"${version}.`)).toBe(true);
    const images = 'images: [{ id: "g", title: "new" }]';
    expect((await update(`${images}, ifMatch: "${version}"`)).data.updateImages).toEqual({ numGood: 1, errors: [] });
    const { errors } = await update(`${images}, ifMatch: "${version}"`);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'precondition_failed', hint: expect.any(String) });
  });

  it('an empty version is that of no record, also for an upsert', async () => {
    const writes = [
      'updateImages(images: [{ id: "g", title: "x" }]',
      'replaceImages(images: [{ id: "n" }], upsert: true',
    ];
    for (const write of writes) {
      const { errors } = await client.graphql(`mutation { ${write}, ifMatch: "", wait: true) { __typename } }`);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'precondition_failed' });
    }
    expect(await titleOf('g')).toBe('new');
  });

  it('is about one element', async () => {
    const { errors } = await update('images: [{ id: "g" }, { id: "h" }], ifMatch: "*"');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'invalid_argument', argument: 'ifMatch' });
  });
});

it('a video has a version too', async () => {
  expect(reported(await client.rest('DELETE', '/vids/none', undefined, { 'If-Match': '*' }))).toEqual(failed);
});
