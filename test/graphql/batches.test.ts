import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { documentLimits } from '../../src/graphql/server/limits.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Answer, Client, SharedWorld } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: SharedWorld;
let client: Client;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client();
  await world.picture('a.png');
  await client.write('POST', '/imgs', [{ id: 'a', src_path: 'a.png', title: 'A' }]);
});

const modern = { Accept: 'application/graphql-response+json' };
const me = { query: '{ me { roleName } }' };
const role = { data: { me: { roleName: 'admin' } } };
const send = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  client.rest('POST', '/graphql', body, headers);
const codesOf = ({ body }: Answer) =>
  body.map((each: { errors?: { extensions: { code: string } }[] }) => each.errors?.[0]?.extensions.code);

describe('a list of operations', () => {
  it.each([1, 10])('is answered by a list of results in its order: %i', async (count) => {
    const list = Array.from({ length: count }, (_, i) => ({
      query: 'query($id: ID!) { image(id: $id) { title } }',
      variables: { id: i % 2 === 0 ? 'a' : 'missing' },
    }));
    for (const [headers, type] of [
      [{}, 'application/json'],
      [modern, 'application/graphql-response+json'],
    ] as const) {
      const answer = await send(list, headers);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
      expect(answer.body).toEqual(list.map((_, i) => ({ data: { image: i % 2 === 0 ? { title: 'A' } : null } })));
    }
  });

  it('answers a faulty one by its errors, and the others', async () => {
    const subscription = 'subscription { operationProgress(id: 1) { type } }';
    const list: unknown[] = [me, { query: '{' }, { query: '{ nothing }' }, 1, {}, { query: subscription }];
    list.push({ ...me, variables: [1] }, { query: 'query($id: ID!) { image(id: $id) { title } }' }, me);
    for (const headers of [{}, modern]) {
      const answer = await send(list, headers);
      expect(answer.status).toBe(200);
      expect(codesOf(answer)).toEqual([
        undefined,
        'GRAPHQL_PARSE_FAILED',
        'GRAPHQL_VALIDATION_FAILED',
        ...Array.from({ length: 5 }, () => 'invalid_argument'),
        undefined,
      ]);
      expect([answer.body[0], answer.body.at(-1)]).toEqual([role, role]);
      expect(JSON.stringify(answer.body)).not.toContain('"http"');
    }
  });

  it('has the status of a document that could not run where none of it could', async () => {
    expect((await send([{ query: '{' }], modern)).status).toBe(400);
    expect((await send([{ query: '{' }])).status).toBe(200);
  });

  it('may name its documents by their digests', async () => {
    const query = '{ me { roleName } } # by its digest';
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    expect(codesOf(await send([{ extensions }, me]))).toEqual(['PERSISTED_QUERY_NOT_FOUND', undefined]);
    expect((await send([{ query, extensions }, { extensions }])).body).toEqual([role, role]);
  });

  it('runs in order, so that a query sees what a write before it did', async () => {
    const write =
      'mutation { updateImages(images: [{ id: "a", title: "B" }], wait: true) { ... on Operation { numGood } } }';
    const read = { query: '{ image(id: "a") { title } }' };
    const { body } = await send([read, { query: write }, read]);
    expect(body).toEqual([
      { data: { image: { title: 'A' } } },
      { data: { updateImages: { numGood: 1 } } },
      { data: { image: { title: 'B' } } },
    ]);
  });

  it('counts each operation at the rate of its key, and asks each for its right', async () => {
    const viewer = await world.client({ role: 'viewer' });
    const remove = { query: 'mutation { deleteImages(ids: ["a"]) { ... on PendingOperation { operationId } } }' };
    const { body } = await viewer.rest('POST', '/graphql', [me, remove]);
    expect(body).toMatchObject([
      { data: { me: { roleName: 'viewer' } } },
      { errors: [{ extensions: { code: 'forbidden' } }] },
    ]);
    expect((await createStranger([me])).status).toBe(401);
  });

  const createStranger = (body: unknown) => client.rest('POST', '/graphql', body, { 'API-Key': 'x' });
});

describe('the limits of a document hold for a list as a whole', () => {
  const expectRefusal = async (list: unknown, name: string) => {
    for (const headers of [{}, modern]) {
      const { status, body } = await send(list, headers);
      expect([status, body.errors]).toMatchObject([
        400,
        [
          {
            extensions: {
              code: 'document_too_complex',
              limit: name,
              max: documentLimits[name as keyof typeof documentLimits].max,
            },
          },
        ],
      ]);
    }
  };
  const times = (count: number, query: string, more = {}) => Array.from({ length: count }, () => ({ query, ...more }));

  it.each([
    ['batch', times(11, '{ me { tenant } }')],
    ['length', times(10, `{ me { tenant } } #${'x'.repeat(10_100)}`)],
    ['length', times(10, `{ # ${'x'.repeat(10_100)}`)],
    [
      'tokens',
      times(10, `query($f: [ImageFacet!]! = [${'city '.repeat(420)}]) { images { facets(fields: $f) { name } } }`),
    ],
    ['directives', times(10, `{ me { ${'tenant @skip(if: false) '.repeat(6)} } }`)],
    ['selections', times(10, `{ me { ${'tenant '.repeat(110)} } }`)],
    ['rootFields', times(7, '{ a: me { tenant } b: me { tenant } c: me { tenant } }')],
    ['aliases', times(10, `{ me { ${Array.from({ length: 11 }, (_, i) => `a${i}: tenant`).join(' ')} } }`)],
    ['cost', times(10, '{ images(limit: 10000) { results { a: imageId title src date city country } } }')],
    [
      'cost',
      times(10, 'query($n: Int) { images(limit: $n) { results { imageId title src date city country } } }', {
        variables: { n: 10_000 },
      }),
    ],
  ])('%s', async (name, list) => {
    const alone = await send(list[0]);
    if (!JSON.stringify(list[0]).includes('{ # x')) expect(alone.body.errors).toBeUndefined();
    await expectRefusal(list, name);
  });

  it('none of it runs where it is refused', async () => {
    const write = { query: 'mutation { deleteImages(ids: ["nothing"]) { ... on PendingOperation { operationId } } }' };
    const count = async () => (await client.rest('GET', '/ops')).headers.get('x-total-count');
    const before = await count();
    await expectRefusal([write, ...times(10, '{ me { tenant } }')], 'batch');
    expect(await count()).toBe(before);
  });

  it('a list of none is no request', async () => {
    const { status, body } = await send([]);
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'invalid_argument']);
  });

  it('errors are listed a hundred times in all, and each operation lists at least one', async () => {
    const bad = {
      query:
        'query($ids: [ID!]!) { images(q: "a") { count } me { tenant } x: __typename @include(if: true) y: image(id: $ids) { title } }',
    };
    const many = {
      query: 'mutation($ids: [ID!]!) { deleteImages(ids: $ids) { ... on Operation { numGood } } }',
      variables: { ids: Array.from({ length: 300 }, () => [[]]) },
    };
    const { body } = await send([many, many, many, bad]);
    const lengths = body.map((each: { errors: unknown[] }) => each.errors.length);
    expect(lengths).toEqual([100, 1, 1, 1]);
    expect(body[1].extensions.errorsNotListed).toBe(299);
  });
});

describe('the reply to a list', () => {
  it('has at most the length of one reply: further operations get an error', full, async () => {
    const text = 'x'.repeat(9_000);
    const ids = Array.from({ length: 200 }, (_, i) => `long${i}`);
    await client.write(
      'POST',
      '/imgs',
      ids.map((id) => ({ id, src_path: 'a.png', caption: text, alt_text: text })),
    );
    const names = Array.from({ length: 9 }, (_, i) => `a${i}: caption b${i}: altText`).join(' ');
    const list = Array.from({ length: 5 }, () => ({ query: `{ images(limit: 200) { results { ${names} } } }` }));
    const answer = await send(list);
    expect([answer.status, codesOf(answer)]).toEqual([
      200,
      [undefined, undefined, undefined, undefined, 'reply_too_large'],
    ]);
  });
});
