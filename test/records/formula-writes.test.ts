import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { maxElements } from '../../src/operations/index.ts';
import { tenantIdOf } from '../operations/support.ts';
import { withWorld } from '../support/shared-world.ts';
import { openWorld } from '../support/world.ts';
import type { Client, SharedWorld, World } from '../support/world.ts';
import { kinds } from './kinds.ts';
import { firstOf } from '../support/effort.ts';

let world: SharedWorld;
/** A world where nobody applies what is accepted, until a worker is started. */
let idle: World;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  idle = await openWorld({ worker: false });
});
afterAll(async () => {
  await idle.close();
});

describe.each(firstOf(1, kinds))('a write of the $resource records that a formula finds', (kind) => {
  let client: Client;
  let one: { src_path: string };
  beforeAll(async () => {
    one = { src_path: await kind.source(world, 'p') };
  });
  beforeEach(async () => {
    client = await world.client();
    await client.write('POST', kind.path, [
      { id: 'a', ...one, city: 'Vigo', status: 'draft', keywords: ['x'] },
      { id: 'b', ...one, city: 'Vigo', status: 'final', keywords: ['x', 'y'] },
      { id: 'c', ...one, city: 'Lugo', status: 'draft', title: 'Harbor' },
    ]);
  });

  const at = (q: string, more = '') => `${kind.path}?q=${encodeURIComponent(q)}${more}`;
  async function all(field: string): Promise<Record<string, unknown>> {
    const { body } = await client.rest('GET', `${kind.path}?fields=${kind.id}&fields=${field}&limit=100`);
    const pairs = body.results.map((record: Record<string, unknown>) => [record[kind.id], record[field]]);
    return Object.fromEntries(pairs);
  }

  it('patches all of them with one object, lists by change too', async () => {
    const record = await client.write('PATCH', at('city:Vigo'), {
      status: 'sold',
      keywords: { add: ['z'] },
      date: null,
    });
    expect(record).toMatchObject({ method: 'upd', num_total: 2, num_good: 2, warnings: [] });
    expect(await all('status')).toEqual({ a: 'sold', b: 'sold', c: 'draft' });
    expect(await all('keywords')).toEqual({ a: ['x', 'z'], b: ['x', 'y', 'z'], c: null });
  });

  it('deletes all of them, with no body or an empty object', async () => {
    const record = await client.write('DELETE', at('city:Vigo status:draft'));
    expect(record).toMatchObject({ method: 'del', num_total: 1, num_good: 1 });
    expect(await client.write('DELETE', at('title:harbor'), {})).toMatchObject({ num_good: 1 });
    expect(await all('city')).toEqual({ b: 'Vigo' });
    expect(await client.write('DELETE', at('*'))).toMatchObject({ num_good: 1 });
    expect(await all('city')).toEqual({});
  });

  it('reports its errors in the order of ids', async () => {
    const record = await client.write('PATCH', at('*'), { date: '2023-02-30' });
    const errors = record.errors.map(({ id, ref, code }: Record<string, unknown>) => [id, ref, code]);
    expect(errors).toEqual(['a', 'b', 'c'].map((ref, id) => [id, ref, 'invalid_field']));
  });

  it('is over GraphQL q and set, or q alone', async () => {
    const { data } = await client.graphql(
      `mutation { r: update${kind.type}s(q: "status:draft", set: { title: "New", changeKeywords: { add: ["n"] } }, wait: true) {
         ... on Operation { numTotal numGood } } }`,
    );
    expect(data.r).toEqual({ numTotal: 2, numGood: 2 });
    expect([await all('title'), await all('keywords')]).toEqual([
      { a: 'New', b: null, c: 'New' },
      { a: ['x', 'n'], b: ['x', 'y'], c: ['n'] },
    ]);
    const deleted = await client.graphql(
      `mutation { r: delete${kind.type}s(q: "title:new", wait: true) { ... on Operation { numGood } } }`,
    );
    expect(deleted.data.r).toEqual({ numGood: 2 });
    expect(await all('city')).toEqual({ b: 'Vigo' });
  });

  const open = '{ ... on Operation { numGood } }';
  it.each([
    [`update${kind.type}s(set: { title: "x" }) ${open}`, kind.list],
    [`update${kind.type}s(q: "*", ${kind.list}: [{ id: "a" }], set: { title: "x" }) ${open}`, kind.list],
    [`update${kind.type}s(${kind.list}: [{ id: "a" }], set: { title: "x" }) ${open}`, 'set'],
    [`update${kind.type}s(q: "*") ${open}`, 'set'],
    [`update${kind.type}s(q: "*", set: {}) ${open}`, 'set'],
    [`update${kind.type}s(q: "*", set: { title: "x" }, ifMatch: "*") ${open}`, 'ifMatch'],
    [`update${kind.type}s(q: " ", set: { title: "x" }) ${open}`, 'q'],
    [`update${kind.type}s(q: "city:Nowhere", set: { title: "x" }) ${open}`, 'q'],
    [`delete${kind.type}s ${open}`, 'ids'],
    [`delete${kind.type}s(q: "*", ids: ["a"]) ${open}`, 'ids'],
    [`delete${kind.type}s(q: "") ${open}`, 'q'],
  ])('is refused as %s, by its argument', async (field, argument) => {
    const { errors } = await client.graphql(`mutation { r: ${field} }`);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'invalid_argument', argument });
    expect(Object.keys(await all('title'))).toHaveLength(3);
  });

  const extra = (name: string) => ({ type: 'extra_forbidden', loc: ['body', name] });
  const noObject = { type: 'model_attributes_type', loc: ['body'] };
  it.each([
    ['PATCH', '*', { titel: 'x' }, extra('titel')],
    ['PATCH', '*', { id: 'a', title: 'x' }, extra('id')],
    ['PATCH', '*', { ['x'.repeat(300)]: 5 }, { ...extra(`${'x'.repeat(256)} …`), input: 5 }],
    ['PATCH', '*', { src_path: 'p.png' }, extra('src_path')],
    ['PATCH', '*', [{ id: 'a', title: 'x' }], noObject],
    ['PATCH', '*', undefined, { type: 'missing', loc: ['body'] }],
    ['PATCH', '*', {}, { type: 'value_error', loc: ['body'], msg: 'set must have at least one field' }],
    ['PATCH', '', { title: 'x' }, { loc: ['query', 'q'], ctx: { hint: 'Send * for all' } }],
    ['PATCH', 'city:', { title: 'x' }, { type: 'formula.expected_value', loc: ['query', 'q'] }],
    ['PATCH', 'city:Nowhere', { title: 'x' }, { loc: ['query', 'q'] }],
    ['DELETE', '*', [{ id: 'a' }], noObject],
    ['DELETE', '*', { id: 'a' }, extra('id')],
    ['DELETE', '', undefined, { loc: ['query', 'q'] }],
    ['DELETE', 'hartbor', undefined, { loc: ['query', 'q'], msg: `The formula finds no ${kind.resource}` }],
  ])('%s of %j with %j is 422 and writes nothing', async (method, q, body, problem) => {
    const answer = await client.rest(method, at(q, '&wait=true'), body);
    expect([answer.status, answer.body.detail]).toMatchObject([422, [problem]]);
    expect(await all('title')).toEqual({ a: null, b: null, c: 'Harbor' });
  });

  it('without q a list is asked for, as ever', async () => {
    const { status, body } = await client.rest('PATCH', kind.path, { title: 'x' });
    expect([status, body.detail]).toMatchObject([422, [{ type: 'list_type', loc: ['body'] }]]);
  });

  it('takes the right to search, and no text of any length', async () => {
    const { body: me } = await client.rest('GET', '/me');
    const scope = kind.resource === 'image' ? 'imgs:write' : 'vids:write';
    const blind = await world.client({ tenant: me.tenant, scopes: [scope] });
    const { status, body } = await blind.rest('PATCH', at('city:Vigo'), { title: 'x' });
    expect([status, body.required_scope]).toEqual([403, scope.replace('write', 'read')]);
    const texts = Object.fromEntries(
      ['title', 'headline', 'location', 'event'].map((name) => [name, 'é'.repeat(9_000)]),
    );
    const long = await client.rest('PATCH', at('*'), {
      ...texts,
      alt_text: 'x'.repeat(9_000),
      [kind.text]: 'y'.repeat(9_000),
      author: 'z'.repeat(9_000),
      city: 'w'.repeat(9_000),
    });
    expect([long.status, long.body]).toMatchObject([413, { code: 'too_large', hint: expect.any(String) }]);
  });

  it('sent again under its key is the same write, whatever the formula finds by then', async () => {
    const key = { 'Idempotency-Key': 'k' };
    const send = (q: string, body: object) => client.rest('PATCH', at(q, '&wait=true'), body, key);
    const first = await send('status:draft', { status: 'sold' });
    expect(first.body).toMatchObject({ num_total: 2, num_good: 2 });
    expect((await send('status:draft', { status: 'sold' })).body).toEqual(first.body);
    for (const [q, body] of [
      ['status:sold', { status: 'sold' }],
      ['status:draft', { status: 'x' }],
    ] as const) {
      expect((await send(q, body)).body).toMatchObject({ code: 'idempotency_key_reused' });
    }
  });
});

describe('the records of a formula', () => {
  it(`are at most ${maxElements}, and what is written to them is stored once a chunk`, async () => {
    const client = await idle.client();
    const tenantId = await tenantIdOf(idle, client);
    const { pool } = idle.backing.database;
    await pool.query(
      `INSERT INTO image (tenant_id, image_id, width, height, lang, format, byte_size, checksum, city)
       SELECT $1, 'n' || to_char(i, 'FM00000'), 1, 1, 'es', 'png', 1, '\\x00', CASE WHEN i = 0 THEN 'Lugo' ELSE 'Vigo' END
       FROM generate_series(0, ${maxElements}) AS i`,
      [tenantId],
    );
    const title = 't'.repeat(9_000);
    const { status, body } = await client.rest('PATCH', '/imgs?q=*', { title });
    expect([status, body.detail]).toMatchObject([
      422,
      [
        {
          loc: ['query', 'q'],
          msg: `The formula finds more than ${maxElements} images`,
          ctx: { hint: expect.any(String) },
        },
      ],
    ]);
    const { body: accepted } = await client.rest('PATCH', '/imgs?q=city:Vigo', { title });
    expect(accepted).toMatchObject({ n_total: maxElements });
    const { rows } = await pool.query(
      'SELECT sum(length(elements::text))::int AS length FROM operation_chunk WHERE operation_id = $1',
      [accepted.operation_id],
    );
    expect(rows[0].length).toBeLessThan(1_000_000);
    expect((await client.rest('DELETE', `/ops/${accepted.operation_id}`)).body).toMatchObject({ is_aborted: true });
  });

  it('are those of the moment when the write is accepted', async () => {
    const client = await idle.client();
    await idle.picture('p.png');
    const picture = { src_path: 'p.png' };
    const create = (id: string) => client.rest('POST', `/imgs/${id}`, { ...picture, city: 'Vigo' });
    await create('early');
    const worker = idle.startWorker();
    await expect.poll(async () => (await client.rest('GET', '/imgs/early')).status, { timeout: 20_000 }).toBe(200);
    await worker.close();
    const patch = (path: string, body: object) => client.rest('PATCH', path, body);
    const accepted = await patch('/imgs?q=city:Vigo', { status: 'found' });
    expect(accepted.body).toMatchObject({ n_total: 1 });
    await create('late');
    await patch('/imgs/early', { city: 'Lugo' });
    const second = await patch('/imgs?q=city:Vigo', { title: 'second' });
    idle.startWorker();
    const { operation_id: id } = second.body;
    await expect
      .poll(async () => (await client.rest('GET', `/ops/${id}`)).body.is_finished, { timeout: 20_000 })
      .toBe(true);
    const { body } = await client.rest(
      'GET',
      '/imgs?fields=image_id&fields=status&fields=title&fields=city&sort_by=image_id&sort_order=asc',
    );
    expect(body.results).toEqual([
      { image_id: 'early', status: 'found', title: 'second', city: 'Lugo' },
      { image_id: 'late', status: null, title: null, city: 'Vigo' },
    ]);
  });
});
