import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzerOf } from '../support/analyzers.ts';
import { firstOf, runsOf, full } from '../support/effort.ts';
import { openWorld } from '../support/world.ts';
import type { Answer, Client, World } from '../support/world.ts';
import { tenantIdOf } from '../operations/support.ts';
import { kinds } from './kinds.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ analyses: true, imageAnalyzer: analyzerOf(['shape', 'pdq', 'localFeatures']) });
  for (const color of ['navy', 'gold', 'teal']) await world.picture(`${color}.png`, { color, width: 40, height: 30 });
});
afterAll(() => world.close());

/** Tables that a write of records may change. */
const tables = [
  'image',
  'video',
  'image_analysis',
  'image_fingerprint',
  'image_details',
  'video_frame',
  'operation_analysis',
  'search_word',
  'record_total',
  'fingerprint_change',
  'search_outbox',
];

/** Everything that these tables hold of a tenant. */
async function contentOf(tenantId: number): Promise<unknown> {
  const parts = tables.map(
    (table) => `(SELECT json_agg(t ORDER BY t::text) FROM ${table} t WHERE tenant_id = $1) AS "${table}"`,
  );
  return (await world.backing.database.pool.query(`SELECT ${parts.join(', ')}`, [tenantId])).rows[0];
}

/** What an operation did to each record, but for what its analysis found. */
async function diffOf(client: Client, id: number): Promise<unknown> {
  const { status, body } = await client.rest('GET', `/ops/${id}/changes?limit=200`);
  expect(status).toBe(200);
  return body.results;
}

/** What a write and its dry run must agree on. */
function resultOf({ num_total, num_good, num_bad, all_good, errors, warnings }: Answer['body']): unknown {
  return { num_total, num_good, num_bad, all_good, errors, warnings };
}

describe.each(firstOf(1, kinds))('a dry run of writes of $resource records', (kind) => {
  let client: Client;
  let one: { src_path: string };
  let tenantId: number;
  beforeAll(async () => {
    client = await world.client();
    one = { src_path: await kind.source(world, 'p') };
    tenantId = await tenantIdOf(world, client);
  });

  it('says so in its record, and no other operation does', async () => {
    const { status, body } = await client.rest('POST', `${kind.path}?wait=true&dry_run=true`, [{ id: 'a', ...one }]);
    expect([status, body]).toMatchObject([200, { num_good: 1, num_bad: 0, is_finished: true, is_dry_run: true }]);
    expect((await client.rest('GET', `/ops/${body.operation_id}`)).body).toMatchObject({ is_dry_run: true });
    expect((await client.rest('GET', `${kind.path}/a`)).status).toBe(404);
    const real = await client.rest('POST', `${kind.path}?wait=true&dry_run=false`, [{ id: 'a', ...one }]);
    expect(real.status).toBe(201);
    expect(real.body).not.toHaveProperty('is_dry_run');
    const list = (await client.rest('GET', '/ops?limit=2')).body;
    expect(list.map((operation: object) => 'is_dry_run' in operation)).toEqual([false, true]);
    const { data } = await client.graphql('{ operations(limit: 2) { results { isDryRun numCreated } } }');
    expect(data.operations.results).toEqual([
      { isDryRun: false, numCreated: 1 },
      { isDryRun: true, numCreated: 1 },
    ]);
  });

  it.each([
    ['PATCH', '/a', { title: 'x' }],
    ['PUT', '/a', { title: 'x' }],
    ['DELETE', '/a', undefined],
    ['PATCH', '?q=*', { title: 'x' }],
    ['DELETE', '?q=*', undefined],
  ])('%s %s writes nothing', async (method, path, body) => {
    await client.write('PUT', `${kind.path}/a?upsert=true`, one);
    const before = await contentOf(tenantId);
    const target = `${kind.path}${path}${path.includes('?') ? '&' : '?'}dry_run=true`;
    const record = await client.write(method, target, method === 'PUT' ? { ...one, ...body } : body);
    expect(record).toMatchObject({ num_good: 1, is_dry_run: true });
    expect(await contentOf(tenantId)).toEqual(before);
  });

  it('reports what would become of each record and field, and can be asked for a part of it', async () => {
    const path = `${kind.path}?dry_run=true`;
    await client.write('PUT', `${kind.path}?upsert=true`, [
      { id: 'a', ...one, title: 'old', keywords: ['k'] },
      { id: 'same', ...one, title: 'new' },
    ]);
    const patch = [
      { id: 'a', title: 'new', keywords: { add: ['l'] } },
      { id: 'same', title: 'new' },
      { id: 'missing', title: 'new' },
    ];
    const { operation_id: id } = await client.write('PATCH', path, patch);
    const of = async (query: string) => (await client.rest('GET', `/ops/${id}/changes?${query}`)).body;
    const all = await of('');
    const kinds = all.results.map(({ ref, kind: became }: Record<string, string>) => [ref, became]);
    expect([all.count, kinds]).toEqual([
      3,
      [
        ['a', 'changed'],
        ['same', 'unchanged'],
        ['missing', 'failed'],
      ],
    ]);
    expect(all.results[0].fields).toMatchObject([
      { field: 'title', before: 'old', after: 'new' },
      { field: 'keywords', before: ['k'], after: ['k', 'l'] },
    ]);
    expect((await of('kind=changed&field=title')).results).toMatchObject([{ ref: 'a', fields: [{ field: 'title' }] }]);
    expect((await of('element=same')).results).toMatchObject([{ ref: 'same', kind: 'unchanged' }]);
    expect((await of('limit=1&page=3')).results).toMatchObject([{ ref: 'missing', code: 'not_found' }]);
    const { operation_id: deletion } = await client.write('DELETE', path, [{ id: 'a' }]);
    const deleted = (await diffOf(client, deletion)) as { kind: string; fields: unknown[] }[];
    expect(deleted).toMatchObject([{ ref: 'a', kind: 'deleted' }]);
    expect(deleted[0]?.fields).toContainEqual(expect.objectContaining({ field: 'title', before: 'old', after: null }));
  });

  it('cannot be undone, but an undo and a restoration have one', async () => {
    const target = `${kind.path}/undone`;
    await client.write('PUT', `${target}?upsert=true`, { ...one, title: 'first' });
    const at = new Date().toISOString();
    const { operation_id: id } = await client.write('PATCH', target, { title: 'second' });
    const before = await contentOf(tenantId);
    const undo = await client.write('POST', `/ops/${id}/undo?dry_run=true`);
    expect(undo).toMatchObject({ num_good: 1, is_dry_run: true });
    const restoration = await client.write('POST', `${target}/restore?dry_run=true&at=${at}`);
    const back = [{ ref: 'undone', kind: 'changed', fields: [{ field: 'title', before: 'second', after: 'first' }] }];
    expect(await diffOf(client, undo.operation_id)).toMatchObject(back);
    expect(await diffOf(client, restoration.operation_id)).toMatchObject(back);
    expect(await contentOf(tenantId)).toEqual(before);
    const again = await client.rest('POST', `/ops/${undo.operation_id}/undo?wait=true`);
    expect(again.body.detail).toMatchObject([
      { loc: ['path', 'op_id'], msg: expect.stringContaining('changed nothing') },
    ]);
    const { data } = await client.graphql('{ auditTrail(limit: 5) { results { action operationId } } }');
    const actions = data.auditTrail.results.filter(({ operationId }: { operationId: number }) => operationId > id);
    expect(actions.map(({ action }: { action: string }) => action)).toEqual([
      'operation.accepted',
      'operation.accepted',
    ]);
  });

  it('is dryRun over GraphQL, of an analysis too', async () => {
    await client.write('PUT', `${kind.path}/a?upsert=true`, one);
    const before = await contentOf(tenantId);
    const answer = '{ ... on Operation { isDryRun numGood stages { numTotal } } }';
    for (const mutation of [
      `update${kind.type}s(q: "id:a", set: { title: "x" }, dryRun: true, wait: true) ${answer}`,
      `delete${kind.type}s(ids: ["a"], dryRun: true, wait: true) ${answer}`,
      `analyze${kind.type}s(q: "id:a", force: true, dryRun: true, wait: true) ${answer}`,
    ]) {
      const { data } = await client.graphql(`mutation { r: ${mutation} }`);
      expect(data.r).toEqual({ isDryRun: true, numGood: 1, stages: [{ numTotal: 1 }, { numTotal: 0 }] });
    }
    expect(await contentOf(tenantId)).toEqual(before);
  });
});

describe('a dry run', () => {
  it('meets If-Match, and is a write of its own under an idempotency key', async () => {
    const client = await world.client();
    await client.write('POST', '/imgs/a', { src_path: 'navy.png' });
    const headers = { 'If-Match': '"1-1"' };
    expect((await client.rest('PATCH', '/imgs/a?dry_run=true', { title: 'x' }, headers)).status).toBe(412);
    const key = { 'Idempotency-Key': 'k' };
    const first = await client.rest('PATCH', '/imgs/a?dry_run=true&wait=true', { title: 'x' }, key);
    expect(first.body).toMatchObject({ num_good: 1, is_dry_run: true });
    expect((await client.rest('PATCH', '/imgs/a?dry_run=true&wait=true', { title: 'x' }, key)).body).toEqual(
      first.body,
    );
    const real = await client.rest('PATCH', '/imgs/a?wait=true', { title: 'x' }, key);
    expect(real.body).toMatchObject({ code: 'idempotency_key_reused' });
  });
});

describe('random batches', () => {
  const element = fc.record(
    {
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', ''),
      src_path: fc.constantFrom('navy.png', 'gold.png', 'teal.png', 'absent.png'),
      title: fc.constantFrom('One', null, 'x'.repeat(10_001)),
      date: fc.constantFrom('2001-02-03', '2001-02-30'),
      keywords: fc.constantFrom(['a'], ['b', 'c'], null),
      unknown: fc.constant(1),
    },
    { requiredKeys: ['id'] },
  );
  const batch = fc.record({
    method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
    strict: fc.boolean(),
    upsert: fc.boolean(),
    onDuplicate: fc.constantFrom('keep', 'flag', 'reject'),
    maxImages: fc.constantFrom(null, 2, 4),
    elements: fc.array(element, { minLength: 1, maxLength: 8 }),
  });

  it('are reported as they are then written, and leave no trace before', async () => {
    const client = await world.client();
    const tenantId = await tenantIdOf(world, client);
    const property = fc.asyncProperty(batch, async ({ method, strict, upsert, onDuplicate, maxImages, elements }) => {
      // What an analysis finds is part of what an operation did, and no dry run knows it.
      const settings = { maxImages, analysis: false };
      await world.backing.database.prisma.tenant.update({ where: { id: tenantId }, data: settings });
      const options = [
        `strict=${strict}`,
        method === 'PUT' && `upsert=${upsert}`,
        method !== 'DELETE' && `on_duplicate=${onDuplicate}`,
      ];
      const path = `/imgs?${options.filter(Boolean).join('&')}`;
      const before = await contentOf(tenantId);
      const dry = await client.write(method, `${path}&dry_run=true`, elements);
      expect(await contentOf(tenantId)).toEqual(before);
      const real = await client.write(method, path, elements);
      expect(resultOf(dry)).toEqual(resultOf(real));
      expect(await diffOf(client, dry.operation_id)).toEqual(await diffOf(client, real.operation_id));
      const created = `a: operation(id: ${dry.operation_id}) { numCreated } b: operation(id: ${real.operation_id}) { numCreated }`;
      const { data } = await client.graphql(`{ ${created} }`);
      expect(data.a).toEqual(data.b);
    });
    await fc.assert(property, { numRuns: runsOf('writes and dry runs') });
  });

  it('of several chunks count what earlier chunks would have stored', full, async () => {
    const client = await world.client();
    const tenantId = await tenantIdOf(world, client);
    await world.backing.database.prisma.tenant.update({ where: { id: tenantId }, data: { maxImages: 210 } });
    const elements = Array.from({ length: 250 }, (_, i) => ({ id: `n${i}`, src_path: 'navy.png' }));
    const dry = await client.write('POST', '/imgs?dry_run=true', elements);
    expect(dry).toMatchObject({ num_good: 210, num_bad: 40 });
    const rejected = await client.write('POST', '/imgs?dry_run=true&on_duplicate=reject', elements);
    expect(rejected).toMatchObject({ num_good: 1, num_bad: 249 });
    const real = await client.write('POST', '/imgs', elements);
    expect(resultOf(dry)).toEqual(resultOf(real));
  });
});
