import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';
import { cachedChunks } from '../../../src/operations/store/element-cache.ts';
import { submitOnce } from '../../../src/operations/submit/idempotency.ts';
import { prepareOperation, storeOperation, submitOperation } from '../../../src/operations/submit/submit.ts';
import { forTenant } from '../../../src/tenants/index.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { finished, heldNetwork, holdSource, tenantIdOf } from '../support.ts';

let world: World;
let idle: World;
let client: Client;

beforeAll(async () => {
  world = await openWorld({ sourceAllow: heldNetwork });
  idle = await openWorld({ worker: false });
  await world.picture('p.png');
});
afterAll(async () => {
  await world.close();
  await idle.close();
});
beforeEach(async () => {
  client = await world.client();
});

let keys = 0;
const newKey = () => ({ 'Idempotency-Key': `key-${(keys += 1)}` });
const one = { src_path: 'p.png' };
const operations = async (of: Client) => Number((await of.rest('GET', '/ops')).headers.get('x-total-count'));

describe('a write that is sent again under its Idempotency-Key', () => {
  it.each(['', '?wait=true'])(
    'is answered as the first time, status and body, and not applied again: %j',
    async (query) => {
      const headers = newKey();
      const first = await client.rest('POST', `/imgs/a${query}`, one, headers);
      expect(first.status).toBe(query === '' ? 202 : 201);
      await finished(client, first.body.operation_id);
      for (let again = 0; again < 3; again += 1) {
        const { status, body } = await client.rest('POST', `/imgs/a${query}`, one, headers);
        expect([status, body]).toEqual([first.status, first.body]);
      }
      expect(await operations(client)).toBe(1);
    },
  );

  it('may be spelled in another way', async () => {
    const headers = newKey();
    const first = await client.rest('POST', '/imgs/a%20b?wait=true&lang=es', { title: 'T', ...one }, headers);
    const second = await client.rest(
      'POST',
      '/imgs/a b/?lang=es&wait=1',
      '{ "src_path": "p.png",  "title": "T" }',
      headers,
    );
    expect([second.status, second.body]).toEqual([201, first.body]);
  });

  it.each([
    ['another body', 'POST', '/imgs/a', { ...one, title: 'other' }],
    ['another record', 'POST', '/imgs/b', one],
    ['another method', 'PUT', '/imgs/a', one],
    ['another parameter', 'POST', '/imgs/a?strict=true', one],
    ['another route to the same', 'POST', '/imgs', [{ id: 'a', ...one }]],
  ])('is refused with 422 when it is another write: %s', async (_what, method, path, body) => {
    const headers = newKey();
    await client.rest('POST', '/imgs/a', one, headers);
    const answer = await client.rest(method, path, body, headers);
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        detail: `The Idempotency-Key '${headers['Idempotency-Key']}' was used for another request`,
        code: 'idempotency_key_reused',
        hint: 'Send a new key with each new request; a key is kept for 24 hours',
      },
    ]);
    expect(await operations(client)).toBe(1);
  });

  it('gets 409 while the first request still waits, then its reply', async () => {
    const held = await holdSource();
    const headers = newKey();
    const first = client.rest('POST', '/imgs/a?wait=true', { src: held.url }, headers);
    await held.asked;
    const second = await client.rest('POST', '/imgs/a?wait=true', { src: held.url }, headers);
    expect([second.status, second.body.code, second.headers.get('retry-after')]).toEqual([
      409,
      'idempotency_key_in_use',
      '1',
    ]);
    held.release();
    const { status, body } = await first;
    const third = await client.rest('POST', '/imgs/a?wait=true', { src: held.url }, headers);
    expect([third.status, third.body]).toEqual([status, body]);
    expect(status).toBe(201);
    await held.close();
  });

  it('gets 202 for good once the first request must have ended without an answer, as when its process died', async () => {
    const held = await holdSource();
    const headers = newKey();
    const query = '/imgs/a?wait=true';
    const first = client.rest('POST', query, { src: held.url }, headers);
    await held.asked;
    const { pool } = world.backing.database;
    await pool.query(`UPDATE idempotency_key SET created_at = created_at - interval '121 s' WHERE tenant_id = $1`, [
      await tenantIdOf(world, client),
    ]);
    expect((await client.rest('POST', query, { src: held.url }, headers)).status).toBe(202);
    held.release();
    await first;
    expect((await client.rest('POST', query, { src: held.url }, headers)).status).toBe(202);
    await held.close();
  });

  it('gets 202 for good where the first request ran out of time', async () => {
    const own = await idle.client();
    const headers = { ...newKey(), Prefer: 'wait=1' };
    const first = await own.rest('DELETE', '/imgs/a?wait=true', undefined, headers);
    expect([first.status, first.headers.get('preference-applied')]).toEqual([202, 'wait=1']);
    await own.rest('DELETE', `/ops/${first.body.operation_id}`);
    const second = await own.rest('DELETE', '/imgs/a?wait=true', undefined, headers);
    expect([second.status, second.body]).toEqual([202, first.body]);
  });

  it('becomes exactly one operation when twenty come together', async () => {
    const headers = newKey();
    const send = () => client.rest('POST', '/imgs/twenty', one, headers);
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ body }) => body.operation_id)).size).toBe(1);
    expect(await operations(client)).toBe(1);
    const waiting = newKey();
    const sendWaiting = () => client.rest('POST', '/imgs/twenty-more?wait=true', one, waiting);
    const others = await Promise.all(Array.from({ length: 20 }, sendWaiting));
    expect(others.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    expect(others.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(await operations(client)).toBe(2);
  });

  it('is a new one after 24 hours, whether or not the old key was removed', async () => {
    const headers = newKey();
    const first = await client.rest('POST', '/imgs/a', one, headers);
    const tenantId = await tenantIdOf(world, client);
    const { rows } = await world.backing.database.pool.query(
      `SELECT expires_at - created_at = '24 h' AS day FROM idempotency_key WHERE tenant_id = $1`,
      [tenantId],
    );
    expect(rows).toEqual([{ day: true }]);
    await world.backing.database.pool.query(
      `UPDATE idempotency_key SET expires_at = now() - interval '1 s' WHERE tenant_id = $1`,
      [tenantId],
    );
    const second = await client.rest('POST', '/imgs/b', one, headers);
    expect(second.status).toBe(202);
    expect(second.body.operation_id).not.toBe(first.body.operation_id);
    expect(await operations(client)).toBe(2);
  });
});

describe('an Idempotency-Key', () => {
  it('belongs to its tenant', async () => {
    const other = await world.client();
    const headers = newKey();
    const [mine, theirs] = [
      await client.rest('POST', '/imgs/a', one, headers),
      await other.rest('POST', '/imgs/b', one, headers),
    ];
    expect([mine.status, theirs.status]).toEqual([202, 202]);
    expect(await operations(other)).toBe(1);
  });

  it('is not used up by a request that was refused', async () => {
    const headers = newKey();
    expect((await client.rest('POST', '/imgs', [], headers)).status).toBe(422);
    expect((await client.rest('POST', '/imgs/a', one, headers)).status).toBe(202);
  });

  it.each(['x'.repeat(256), 'ñ'])('that is none is refused: %s', async (key) => {
    const answer = await client.rest('POST', '/imgs/a', one, { 'Idempotency-Key': key });
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['header', 'Idempotency-Key']]);
    expect(await operations(client)).toBe(0);
  });

  it('is an argument or the same header in GraphQL', async () => {
    const document = (key: string) =>
      `mutation { deleteImages(ids: ["a"]${key}) { ... on PendingOperation { operationId } } }`;
    const byArgument = document(', idempotencyKey: "k"');
    const first = await client.graphql(byArgument);
    expect(await client.graphql(byArgument)).toEqual(first);
    const send = (headers: Record<string, string>) => client.rest('POST', '/graphql', { query: document('') }, headers);
    expect((await send({ 'Idempotency-Key': 'k' })).body).toEqual(first);
    const { errors } = await client.graphql(byArgument.replace('"a"', '"b"'));
    expect(errors).toMatchObject([{ extensions: { code: 'idempotency_key_reused', hint: expect.any(String) } }]);
    expect(await operations(client)).toBe(1);
  });
});

describe('an Idempotency-Key of a document with several writes', () => {
  const write = (name: string, id: string) => `${name}: deleteImages(ids: ["${id}"]) { ...Pending }`;
  const fragment = 'fragment Pending on PendingOperation { operationId }';
  const send = async (writes: string, headers: Record<string, string>) =>
    (await client.rest('POST', '/graphql', { query: `mutation { ${writes} } ${fragment}` }, headers)).body;

  it.each([
    ['side by side', `${write('a', 'x')} ${write('b', 'y')}`],
    ['in a fragment', `... on Mutation { ${write('a', 'x')} ${write('b', 'y')} }`],
  ])('counts for each of them by its name: %s', async (_where, writes) => {
    const headers = newKey();
    const first = await send(writes, headers);
    expect(first.errors).toBeUndefined();
    expect(first.data.a.operationId).not.toBe(first.data.b.operationId);
    expect(await send(writes, headers)).toEqual(first);
    const { errors } = await send(writes.replaceAll('"y"', '"z"'), headers);
    expect(errors).toMatchObject([{ path: ['b'], extensions: { code: 'idempotency_key_reused' } }]);
    expect(await operations(client)).toBe(2);
  });

  it('counts for each document of a list by its place', async () => {
    const headers = newKey();
    const list = (...ids: string[]) =>
      ids.map((id) => ({ query: `mutation { ${write('a', id)} ${write('b', `${id}${id}`)} } ${fragment}` }));
    const sendList = async (...ids: string[]) => (await client.rest('POST', '/graphql', list(...ids), headers)).body;
    const first = await sendList('x', 'y');
    expect(first.map(({ errors }: { errors?: unknown }) => errors)).toEqual([undefined, undefined]);
    expect(await sendList('x', 'y')).toEqual(first);
    expect(await operations(client)).toBe(4);
    const [, { errors }] = await sendList('x', 'z');
    expect(errors).toMatchObject([{ path: ['a'], extensions: { code: 'idempotency_key_reused' } }]);
  });

  it('counts for one that is refused at first', async () => {
    const headers = newKey();
    const refused = await send(`a: deleteImages(ids: []) { ...Pending } ${write('b', 'y')}`, headers);
    expect(refused.errors).toMatchObject([{ path: ['a'] }]);
    const both = await send(`${write('a', 'x')} ${write('b', 'y')}`, headers);
    expect(both.errors).toBeUndefined();
    expect(await operations(client)).toBe(2);
  });
});

describe('an operation under a key', () => {
  const write = (element: object) => ({
    ...({ kind: 'images.upsert', wait: false, urgent: false, strict: false, lang: null, onDuplicate: null } as const),
    ...{ apiKeyId: null, elements: [{ id: 'a', values: { title: 'T' }, ...element }] },
  });
  const deps = () => ({ queue: idle.backing.queue, logger: createLogger('silent') });

  it.each([
    ['analysis', { analysis: { width: 1 } }, { analysis: { width: 2 } }],
    ['fault', {}, { fault: { code: 'invalid_field', message: 'is wrong', field: 'title' } }],
  ])('is another one if an element has another %s', async (name, first, second) => {
    const own = await idle.client();
    const db = forTenant(idle.backing.database, await tenantIdOf(idle, own));
    const key = { key: name, route: 'POST /imgs' };
    expect(await submitOnce(db, deps(), write(first), key)).toMatchObject({ isNew: true });
    expect(await submitOnce(db, deps(), write(first), key)).toMatchObject({ isNew: false });
    await expect(submitOnce(db, deps(), write(second), key)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('leaves no elements to the next one if it is rolled back: that has its id', async () => {
    const own = await idle.client();
    const db = forTenant(idle.backing.database, await tenantIdOf(idle, own));
    const prepared = await prepareOperation(db, write({ id: 'lost', analysis: { width: 1 } }));
    let lost = 0;
    const failed = db.transaction(async (client) => {
      lost = await storeOperation(db, prepared, client);
      throw new Error('the key could not be bound');
    });
    await expect(failed).rejects.toThrow('could not be bound');
    const next = await submitOperation(db, deps(), write({ id: 'real' }));
    expect(next).toBe(lost);
    expect(cachedChunks(db, next)).toEqual([]);
  });
});
