import { beforeAll, describe, expect, it } from 'vitest';
import { createRouter } from '../../rest/answer/router.ts';
import { endpoints } from '../../rest/index.ts';
import { reservedIds } from '../../src/catalog/index.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: SharedWorld;
let client: Client;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client();
  await world.picture('a.png');
});

const src = { src_path: 'a.png' };
const path = (id: string) => `/imgs/${encodeURIComponent(id)}`;

/** Every kind of character that an address could lose. */
const ids = [
  ...['slash1', 'slash1/', 'slash1//', '/slash1', 'a/b', 'a/../b', '../a', 'a/poster', '/', '//', '%2F', '%', 'a%2Fb'],
  ...[
    '...',
    '.a',
    'a.',
    '~',
    'a+b',
    'a b',
    ' a ',
    'a?b',
    'a#b',
    'a;b=1',
    'a&b',
    'a\\b',
    '*',
    "'",
    '"',
    '<',
    '{a}',
    '|',
  ],
  ...['é', 'e\u0301', '\u{1f600}', '\u200b', '\u00a0', '\ufeff', 'Explain', 'explain/', 'delete ', 'imgs', '0', 'null'],
  'x'.repeat(255),
  '\u{1f600}'.repeat(255),
];

describe('a record', () => {
  beforeAll(async () => {
    const { num_bad: bad } = await client.write(
      'POST',
      '/imgs',
      ids.map((id) => ({ id, ...src, title: `t ${id}` })),
    );
    if (bad > 0) throw new Error(`${bad} records were not stored`);
  });

  it.each(ids)('is read, changed and replaced by exactly its id: %j', async (id) => {
    const title = async () => (await client.rest('GET', `${path(id)}?fields=title&fields=image_id`)).body;
    expect(await title()).toEqual({ title: `t ${id}`, image_id: id });
    expect((await client.write('PATCH', path(id), { title: `p ${id}` })).num_good).toBe(1);
    expect(await title()).toEqual({ title: `p ${id}`, image_id: id });
    expect((await client.write('PUT', path(id), { ...src, title: `t ${id}` })).num_good).toBe(1);
  });

  it('is deleted by exactly its id, and no other goes with it', full, async () => {
    const left = new Set(ids);
    for (const id of ids) {
      expect((await client.write('DELETE', path(id))).num_good).toBe(1);
      left.delete(id);
      const { body } = await client.rest('GET', '/imgs?fields=image_id&limit=1000');
      expect(new Set(body.results.map((each: { image_id: string }) => each.image_id))).toEqual(left);
    }
  });

  it('loses a literal slash behind its id, and no encoded one', async () => {
    await client.write('POST', '/imgs/', [{ id: 'kept', ...src }]);
    expect((await client.rest('GET', '/imgs/kept/')).status).toBe(200);
    expect((await client.rest('GET', '/imgs/kept%2F')).status).toBe(404);
    expect((await client.write('DELETE', '/imgs/kept%2f')).num_bad).toBe(1);
    expect((await client.write('DELETE', '/imgs/kept//')).num_good).toBe(1);
  });

  it('is not meant by the key of a write to one whose id has a slash more', async () => {
    const headers = { 'Idempotency-Key': 'k1' };
    const first = await client.rest('DELETE', '/imgs/k', undefined, headers);
    expect((await client.rest('DELETE', '/imgs/k/', undefined, headers)).body).toEqual(first.body);
    expect((await client.rest('DELETE', '/imgs/k%2F', undefined, headers)).status).toBe(422);
  });
});

describe('an id that a path cannot name', () => {
  const route = createRouter(endpoints);
  const fixed = endpoints.filter((each) => !each.path.includes('{'));
  const wordsOf = (top: string) =>
    fixed.flatMap((each) => (each.path.startsWith(`/${top}/`) ? [route(each.path)?.reserved ?? []] : [])).flat();

  it('is in a table that the routes agree with', () => {
    expect(new Set(reservedIds.image)).toEqual(new Set(wordsOf('imgs')));
    expect(new Set(reservedIds.video)).toEqual(new Set(wordsOf('vids')));
  });

  it.each([
    ['/imgs', 'explain', "id 'explain' is reserved: /imgs/explain is an endpoint of its own"],
    ['/imgs', 'delete', "id 'delete' is reserved: /imgs/delete is an endpoint of its own"],
    ['/vids', 'delete', "id 'delete' is reserved: /vids/delete is an endpoint of its own"],
    ['/imgs', '.', "id '.' is not allowed: clients remove it from URLs"],
    ['/vids', '..', "id '..' is not allowed: clients remove it from URLs"],
  ])('is refused with the reason when it is written: %s %s', async (batch, id, text) => {
    for (const method of ['POST', 'PUT']) {
      const query = method === 'PUT' ? '?upsert=true' : '';
      const { num_bad: bad, errors } = await client.write(method, `${batch}${query}`, [
        { id, src: 'http://127.0.0.1/' },
      ]);
      expect([bad, errors]).toMatchObject([
        1,
        [{ code: 'invalid_field', field: 'id', msg: expect.stringContaining(text) }],
      ]);
    }
  });

  it.each([
    ['PUT', '/imgs/explain', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/imgs/explain/', 'GET, HEAD, OPTIONS'],
    ['GET', '/imgs/delete', 'OPTIONS, POST'],
    ['PATCH', '/vids/delete', 'OPTIONS, POST'],
  ])('is refused in a path by what is there: %s %s', async (method, at, allow) => {
    const { status, headers, body } = await client.rest(method, at);
    const word = at.split('/')[2];
    const hint = `'${word}' is not allowed as an id in a path: it is an endpoint. Use batches or GraphQL for a record with this id`;
    expect([status, headers.get('allow'), body]).toEqual([405, allow, { detail: 'Method Not Allowed', hint }]);
  });

  it('is kept by a record that had it before, which batches change and delete', async () => {
    await client.write('POST', '/imgs', [{ id: 'former', ...src }]);
    await world.backing.database.pool.query("UPDATE image SET image_id = 'explain' WHERE image_id = 'former'");
    expect((await client.write('PATCH', '/imgs', [{ id: 'explain', title: 'Old' }])).num_good).toBe(1);
    expect((await client.write('PUT', '/imgs?upsert=1', [{ id: 'explain', ...src }])).num_good).toBe(1);
    expect((await client.write('DELETE', '/imgs', [{ id: 'explain' }])).num_good).toBe(1);
  });
});
