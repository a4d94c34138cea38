import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lockableFieldsOf } from '../../src/catalog/index.ts';
import { tenantIdOf } from '../operations/support.ts';
import { firstOf, runsOf } from '../support/effort.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { kinds } from './kinds.ts';

let world: SharedWorld;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
});

/** A value of each field that can be locked. */
function valuesOf(resource: 'image' | 'video', text: string): Record<string, unknown> {
  const one = (name: string, type: string) => {
    if (type === 'list') return [`${name} ${text}`];
    if (type === 'boolean') return text === 'old';
    return type === 'date' ? (text === 'old' ? '1999' : '2001-02-03') : `${name} ${text}`;
  };
  return Object.fromEntries(lockableFieldsOf[resource].map(({ name, type }) => [name, one(name, type)]));
}

describe.each(firstOf(1, kinds))('locked fields of $resource records', (kind) => {
  let client: Client;
  let one: { src_path: string };
  beforeAll(async () => {
    one = { src_path: await kind.source(world, 'p') };
  });
  beforeEach(async () => {
    client = await world.client();
  });

  const names = lockableFieldsOf[kind.resource].map(({ name }) => name);
  const read = async (id: string, fields: readonly string[]) =>
    (await client.rest('GET', `${kind.path}/${id}?${fields.map((name) => `fields=${name}`).join('&')}`)).body;
  const at = (id: string, query = '') => `${kind.path}/${id}${query}`;
  const found = async (q: string) =>
    (await client.rest('GET', `${kind.path}?fields=${kind.id}&q=${encodeURIComponent(q)}`)).body.results
      .map((record: Record<string, string>) => record[kind.id])
      .toSorted();

  it('are said by locked_fields, as a whole or by change, and read where they are asked for', async () => {
    await client.write('POST', at('a'), { ...one, locked_fields: ['title', 'alt_text'] });
    expect(await read('a', ['locked_fields'])).toEqual({ locked_fields: ['title', 'alt_text'] });
    await client.write('PATCH', at('a'), { locked_fields: { add: ['date'], remove: ['title'] } });
    const { data } = await client.graphql(`{ ${kind.resource}(id: "a") { lockedFields } }`);
    expect(data[kind.resource]).toEqual({ lockedFields: ['alt_text', 'date'] });
    expect((await client.rest('GET', at('a'))).body).not.toHaveProperty('locked_fields');
    await client.write('PATCH', at('a'), { locked_fields: null });
    expect(await read('a', ['locked_fields'])).toEqual({ locked_fields: null });
  });

  it.each(['titel', 'altText', 'width', 'src', 'src_path', 'locked_fields', ''])('cannot be %j', async (name) => {
    for (const locks of [[name], { add: [name] }]) {
      await client.write('PUT', at('b', '?upsert=true'), one);
      const record = await client.write('PATCH', at('b'), { locked_fields: locks });
      expect(record.errors).toMatchObject([{ code: 'invalid_field', field: 'locked_fields' }]);
      expect(record.errors[0].msg).toContain(`locked_fields cannot have '${name}'; fields: `);
    }
  });

  it('are searched by has:lock and locked:', async () => {
    await client.write('POST', kind.path, [
      { id: 'none', ...one },
      { id: 'title', ...one, locked_fields: ['title'] },
      { id: 'both', ...one, locked_fields: ['title', 'alt_text'] },
      { id: 'empty', ...one, locked_fields: [] },
    ]);
    expect(await found('has:lock')).toEqual(['both', 'title']);
    expect(await found('no:lock')).toEqual(['empty', 'none']);
    expect(await found('-has:locked')).toEqual(['empty', 'none']);
    expect(await found('locked:alt_text')).toEqual(['both']);
    expect(await found('locked:Title')).toEqual(['both', 'title']);
    expect(await found('-locked:title')).toEqual(['empty', 'none']);
    expect(await found('locked:alt*')).toEqual(['both']);
  });

  const locked = names.filter((_, index) => index % 2 === 0);
  const writes = [
    ['PATCH', ''],
    ['PUT', ''],
    ['PUT', '&upsert=true'],
  ] as const;
  it.each(writes)('keep their values and locks in a %s%s that respects locks', async (method, query) => {
    const [old, young] = [valuesOf(kind.resource, 'old'), valuesOf(kind.resource, 'new')];
    await client.write('POST', at('c'), { ...one, ...old, locked_fields: locked });
    const body = { ...young, ...(method === 'PUT' && one), locked_fields: ['title'] };
    await client.write(method, at('c', `?respect_locks=true${query}`), body);
    const kept = Object.fromEntries(names.map((name) => [name, (locked.includes(name) ? old : young)[name]]));
    expect(await read('c', [...names, 'locked_fields'])).toEqual({ ...kept, locked_fields: locked });
    expect(await found(locked.includes('date') ? 'date:1999' : 'date:2001')).toEqual(['c']);
    await client.write(method, at('c', `?respect_locks=false${query}`), body);
    expect(await read('c', [...names, 'locked_fields'])).toEqual({ ...young, locked_fields: ['title'] });
  });

  it('are kept from an absent field of a PUT, a list that is changed, and what a formula finds', async () => {
    const keywords = ['a'];
    await client.write('POST', at('d'), {
      ...one,
      title: 'T',
      city: 'Vigo',
      keywords,
      locked_fields: ['title', 'keywords'],
    });
    await client.write('PUT', at('d', '?respect_locks=true'), one);
    expect(await read('d', ['title', 'city', 'keywords'])).toEqual({ title: 'T', city: null, keywords });
    await client.write('PATCH', `${kind.path}?q=title:T&respect_locks=true`, {
      keywords: { add: ['b'] },
      city: 'Lugo',
    });
    expect(await read('d', ['title', 'city', 'keywords'])).toEqual({ title: 'T', city: 'Lugo', keywords });
    const { data } = await client.graphql(
      `mutation { r: update${kind.type}s(${kind.list}: [{ id: "d", title: "U", city: "Ourense" }], respectLocks: true, wait: true) {
         ... on Operation { numGood } } }`,
    );
    expect(data.r).toEqual({ numGood: 1 });
    expect(await read('d', ['title', 'city'])).toEqual({ title: 'T', city: 'Ourense' });
  });

  it('show where their values come from as before', async () => {
    await client.write('POST', at('e'), { ...one, title: 'T', alt_text: 'A', city: 'C', locked_fields: ['alt_text'] });
    const { pool } = world.backing.database;
    const tenantId = await tenantIdOf(world, client);
    const origin = { title: { source: 'file' }, altText: { source: 'analyzer' }, city: { source: 'file' } };
    const own = `tenant_id = $1 AND ${kind.id} = 'e'`;
    const set = () =>
      pool.query(`UPDATE ${kind.resource} SET provenance = $2 WHERE ${own}`, [tenantId, JSON.stringify(origin)]);
    const provenance = async () =>
      (await pool.query(`SELECT provenance FROM ${kind.resource} WHERE ${own}`, [tenantId])).rows[0].provenance;
    await set();
    await client.write('PATCH', at('e', '?respect_locks=true'), { title: 'U', alt_text: 'B' });
    expect(await provenance()).toEqual({ altText: origin.altText, city: origin.city });
    await set();
    await client.write('PUT', at('e', '?respect_locks=true'), { ...one, title: 'U', alt_text: 'B' });
    expect(await provenance()).toEqual({ altText: origin.altText });
    await client.write('PUT', at('e'), { ...one, title: 'U', alt_text: 'B' });
    expect(await provenance()).toBeNull();
  });

  it('are another write for an idempotency key', async () => {
    await client.write('POST', at('f'), one);
    const key = { 'Idempotency-Key': 'k' };
    expect((await client.rest('PATCH', at('f'), { title: 'x' }, key)).status).toBe(202);
    const other = await client.rest('PATCH', at('f', '?respect_locks=true'), { title: 'x' }, key);
    expect(other.body).toMatchObject({ code: 'idempotency_key_reused' });
  });
});

describe('random writes of a record with locks', () => {
  const fields = ['title', 'alt_text', 'keywords'] as const;
  type Field = (typeof fields)[number];
  type State = Partial<Record<Field, unknown>> & { locked_fields?: unknown };

  const value = fc.constantFrom(null, 'a', 'b');
  const write = fc.record({
    method: fc.constantFrom('PATCH', 'PUT'),
    respects: fc.boolean(),
    body: fc.record(
      {
        title: value,
        alt_text: value,
        keywords: value,
        locked_fields: fc.option(fc.subarray([...fields]), { nil: null }),
      },
      { requiredKeys: [] },
    ),
  });

  /** What a write leaves, by the words of the documentation. */
  function after(
    state: State,
    { method, respects, body }: Readonly<{ method: string; respects: boolean; body: State }>,
  ): State {
    const locks = respects ? ((state.locked_fields ?? []) as string[]) : [];
    const next: Record<string, unknown> = { ...state };
    for (const name of [...fields, 'locked_fields'] as const) {
      const isKept = name === 'locked_fields' ? respects : locks.includes(name);
      if (!isKept && (method === 'PUT' || name in body)) next[name] = body[name] ?? null;
    }
    return next;
  }

  it('end where the words say', async () => {
    const client = await world.client();
    const one = { src_path: await world.picture('r.png') };
    const query = [...fields, 'locked_fields'].map((name) => `fields=${name}`).join('&');
    let count = 0;
    const property = fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 6 }), async (writes) => {
      const path = `/imgs/r${(count += 1)}`;
      await client.write('POST', path, one);
      let state: State = { title: null, alt_text: null, keywords: null, locked_fields: null };
      for (const { method, respects, body: given } of writes) {
        const body: State = 'keywords' in given ? { ...given, keywords: given.keywords && [given.keywords] } : given;
        const sent = { ...body, ...(method === 'PUT' && one) };
        await client.write(method, `${path}?respect_locks=${respects}`, sent);
        state = after(state, { method, respects, body });
        expect((await client.rest('GET', `${path}?${query}`)).body).toEqual(state);
      }
    });
    await fc.assert(property, { numRuns: Math.ceil(runsOf('values') / 6) });
  });
});
