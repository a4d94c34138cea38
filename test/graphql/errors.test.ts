import { beforeEach, describe, expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { Answer, Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
});
beforeEach(async () => {
  client = await world.client();
});

/** The same document twice: a new one takes another path than a compiled one. */
async function askTwice(query: string, variables: object = {}): Promise<Answer['body']> {
  const first = await client.rest('POST', '/graphql', { query, variables });
  const second = await client.rest('POST', '/graphql', { query, variables });
  expect([second.status, withoutIds(second.body)]).toEqual([first.status, withoutIds(first.body)]);
  return first.body;
}

function withoutIds(body: unknown): string {
  return JSON.stringify(body).replaceAll(/"(?:requestId|operationId|id)":[^,}]*/g, '');
}

describe('an argument out of bounds', () => {
  it.each([
    ['images(page: 0)', 'page', 'page must be at least 1'],
    ['images(page: -1)', 'page', 'page must be at least 1'],
    ['images(limit: 0)', 'limit', 'limit must be between 1 and 10000'],
    ['images(limit: -1)', 'limit', 'limit must be between 1 and 10000'],
    ['images(limit: 10001)', 'limit', 'limit must be between 1 and 10000'],
    ['operations(page: 0)', 'page', 'page must be at least 1'],
    ['operations(limit: 0)', 'limit', 'limit must be between 1 and 1000'],
    ['operations(limit: -5)', 'limit', 'limit must be between 1 and 1000'],
    ['operations(limit: 1001)', 'limit', 'limit must be between 1 and 1000'],
    ['images(cursor: "x")', 'cursor', 'The cursor does not match this query and order'],
  ])('is named: %s', async (field, argument, message) => {
    const { data, errors } = await askTwice(`{ ${field} { count } }`);
    const [path] = field.split('(');
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ message, path: [path], extensions: { code: 'invalid_argument', argument } }]);
  });

  it('that leads too deep has a code of its own and says how deep pages reach', async () => {
    const { errors } = await askTwice('{ images(page: 2001) { results { imageId } } }');
    expect(errors).toMatchObject([{ path: ['images'], extensions: { code: 'page_too_deep', maxDepth: 100_000 } }]);
  });

  it.each([
    ['createImages(images: [])', 'images'],
    ['replaceVideos(videos: [])', 'videos'],
    ['updateImages(images: [])', 'images'],
    ['deleteImages(ids: [])', 'ids'],
    ['analyzeImages(ids: [])', 'ids'],
  ])('that is an empty batch is named, with the size that one may have: %s', async (field, argument) => {
    const { data, errors } = await askTwice(`mutation { ${field} { __typename } }`);
    expect(data).toBeNull();
    const context = { field_type: 'List', min_length: 1, actual_length: 0 };
    const hint = 'Send 1 to 10000 elements in one request';
    const extensions = { code: 'invalid_argument', argument, type: 'too_short', context, hint };
    expect(errors).toMatchObject([{ extensions }]);
  });

  it('is a batch of more than 10 000 elements too', async () => {
    const query = 'mutation ($ids: [ID!]!) { deleteImages(ids: $ids) { __typename } }';
    const { errors } = await client.graphql(query, { ids: Array.from({ length: 10_001 }, (_, i) => String(i)) });
    const context = { field_type: 'List', max_length: 10_000, actual_length: 10_001 };
    expect(errors).toMatchObject([
      { extensions: { code: 'invalid_argument', argument: 'ids', type: 'too_long', context } },
    ]);
    expect((await client.rest('GET', '/ops')).body).toEqual([]);
  });
});

describe('variables', () => {
  const write = 'mutation ($images: [ImageInput!]!) { createImages(images: $images) { __typename } }';

  it.each([
    ['query ($p: Int!) { images(page: $p) { count } }', {}, /"\$p" of required type "Int!" was not provided/],
    ['query ($p: Int!) { images(page: $p) { count } }', { p: null }, /"\$p" of non-null type "Int!" must not be null/],
    ['query ($p: Int!) { images(page: $p) { count } }', { p: 'one' }, /invalid value "one"/],
    ['query ($p: Int!) { images(page: $p) { count } }', { p: 3_000_000_000 }, /32-bit signed integer/],
    ['query ($p: Int! = 1) { images(page: $p) { count } }', { p: null }, /must not be null/],
    ['query ($s: ImageSort) { images(sortBy: $s) { count } }', { s: 'aperture' }, /ImageSort/],
    ['query ($id: BigInt!) { operation(id: $id) { id } }', { id: 1.5 }, /BigInt cannot be 1.5/],
    ['query ($id: BigInt!) { operation(id: $id) { id } }', { id: '1e3' }, /BigInt cannot be "1e3"/],
    ['query ($id: BigInt!) { operation(id: $id) { id } }', { id: 2 ** 60 }, /BigInt cannot be/],
    ['query ($t: DateTime) { operations(createdAfter: $t) { count } }', { t: 'soon' }, /DateTime cannot be "soon"/],
    [
      'query ($t: DateTime) { operations(createdAfter: $t) { count } }',
      { t: '2026-02-30T10:00Z' },
      /DateTime cannot be "2026-02-30T10:00Z"/,
    ],
    [
      'query ($t: DateTime) { operations(createdAfter: $t) { count } }',
      { t: '0000-01-01' },
      /DateTime cannot be "0000/,
    ],
    [
      'query ($t: DateTime) { operations(createdAfter: $t) { count } }',
      { t: { a: [[]] } },
      /DateTime cannot be an object/,
    ],
    ['query ($t: DateTime) { operations(createdAfter: $t) { count } }', { t: 2024 }, /DateTime cannot be 2024/],
    [write, { images: [{ title: 'T' }] }, /at "images\[0\]"; Field "id" of required type "ID!" was not provided/],
    [
      write,
      { images: [{ id: 'a', titel: 'T' }] },
      /Field "titel" is not defined by type "ImageInput". Did you mean "title"/,
    ],
    [write, { images: [{ id: 'a', title: 5 }] }, /String cannot represent a non string value: 5/],
    [write, { images: [{ id: 'a', keywords: ['x', null] }] }, /non-null|not to be null/],
  ])('that do not fit are refused before anything runs: %s with %j', async (query, variables, message) => {
    const { data, errors } = await askTwice(query, variables);
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([
      { message: expect.stringMatching(message), extensions: { code: 'invalid_argument' } },
    ]);
    expect((await client.rest('GET', '/ops')).body).toEqual([]);
  });

  it.each([
    ['query ($l: Int! = 3) { images(limit: $l) { count } }', {}],
    ['query ($l: Int! = 3) { images(limit: $l) { count } }', { l: 2 }],
    ['query ($l: Int = 3) { images(limit: $l) { count } }', {}],
    ['query ($l: Int) { images(limit: $l) { count } }', {}],
    ['query ($s: ImageSort, $c: String) { images(sortBy: $s, cursor: $c) { count } }', { s: null, c: null }],
    ['query ($o: SortOrder! = asc) { images(sortOrder: $o) { count } }', null],
  ])('may be left out where they have a default: %s with %j', async (query, variables) => {
    expect(await askTwice(query, variables as object)).toEqual({ data: { images: { count: 0 } } });
  });
});

describe('an error', () => {
  const long = 'dog '.repeat(100_000);

  it.each([
    ['query ($q: String) { images(q: $q) { count } }', { q: long }],
    ['query ($q: String) { images(q: $q) { count } videos(q: $q) { count } }', { q: long }],
    ['query ($q: String!) { explainFormula(q: $q) { text } }', { q: long }],
    ['query ($q: String!) { formulaCompletions(text: $q) { results { text } } }', { q: long }],
    ['query ($q: String!) { facetValues(field: country, q: $q) { value } }', { q: long }],
    ['query ($q: String!) { duplicates(q: $q) { count } }', { q: long }],
    ['mutation ($q: String!) { saveFormula(name: "a", formula: $q) { name } }', { q: long }],
    ['mutation ($q: String!) { saveFormula(name: $q, formula: "dog") { name } }', { q: long }],
    ['mutation ($q: String!) { findDuplicates(q: $q) { __typename } }', { q: long }],
    ['query ($id: BigInt!) { operation(id: $id) { id } }', { id: long }],
    ['query ($p: Int!) { images(page: $p) { count } }', { p: long }],
    ['query ($p: Int!) { images(page: $p) { count } }', { p: Array.from({ length: 20 }, () => long) }],
    ['query ($s: ImageSort) { images(sortBy: $s) { count } }', { s: long }],
    ['query ($c: String) { images(cursor: $c) { count } }', { c: long }],
    ['mutation ($i: [ImageInput!]!) { createImages(images: $i) { __typename } }', { i: [{ id: 'a', [long]: 1 }] }],
  ])('repeats no more than the beginning of what was sent: %s', async (query, variables) => {
    const { errors } = await askTwice(query, variables);
    expect(errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(errors).length).toBeLessThan(2_000 * errors.length);
  });

  it('keeps what a library says after the value at fault', async () => {
    const query = 'mutation ($images: [ImageInput!]!) { createImages(images: $images) { __typename } }';
    const { errors } = await askTwice(query, { images: [{ id: 'a', caption: 'x'.repeat(100_000), titel: 'x' }] });
    expect(errors[0].message).toMatch(/^Variable "\$images" .+ "titel" is not defined by type "ImageInput"/);
  });

  it('of a variable that is a list stands beside those of others', async () => {
    const query = 'query ($ids: [ID!]!, $p: Int) { images(page: $p) { count } nodes(ids: $ids) { __typename } }';
    const { errors } = await askTwice(query, { ids: [null], p: 'x' });
    const messages = [expect.stringContaining('Variable "$ids"'), expect.stringContaining('Int cannot represent')];
    expect(errors.map(({ message }: { message: string }) => message)).toEqual(messages);
  });

  it('is one of a hundred at most, and the others are counted', async () => {
    const images = Array.from({ length: 300 }, (_, index) => ({ id: String(index), title: index }));
    const query = 'mutation ($images: [ImageInput!]!) { createImages(images: $images) { __typename } }';
    const { errors, extensions } = await askTwice(query, { images });
    expect([errors.length, extensions]).toEqual([100, { errorsNotListed: 200 }]);
    const message =
      'Variable "$images" got invalid value 7 at "images[7].title"; String cannot represent a non string value: 7';
    expect(errors[7]).toMatchObject({ message, extensions: { code: 'invalid_argument' } });
    const wrong = [{ id: 'a', titel: 1, keywords: Array.from({ length: 5_000 }, () => 5) }, { id: null }];
    const answer = await askTwice(query, { images: wrong });
    expect([answer.errors.length, answer.extensions]).toEqual([100, { errorsNotListed: 4_902 }]);
  });
});

describe('a document that cannot run', () => {
  it.each([
    ['{', 'GRAPHQL_PARSE_FAILED'],
    ['', 'GRAPHQL_PARSE_FAILED'],
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['{ image { title } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['{ images { results } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['{ operation(id: 1.5) { id } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['mutation { createImages(images: [{ title: "T" }]) { __typename } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['subscription { x }', 'GRAPHQL_VALIDATION_FAILED'],
  ])('is refused with a code and without data: %s', async (query, code) => {
    const { data, errors } = await askTwice(query);
    expect(data ?? null).toBeNull();
    expect(errors.map(({ extensions }: { extensions: object }) => extensions)).toEqual(errors.map(() => ({ code })));
    expect(errors.length).toBeGreaterThan(0);
  });

  it.each([
    ['several operations and no name', 'query a { me { tenant } } query b { me { tenant } }', undefined],
    ['no operation of this name', 'query a { me { tenant } }', 'b'],
  ])('asks for the name of an operation, also in a list and with a file: %s', async (_what, query, operationName) => {
    const hint = 'Name one of its operations as operationName';
    const refused = [{ message: expect.any(String), extensions: { code: 'invalid_argument', hint } }];
    const operation = { query, operationName };
    const form = new FormData();
    form.set('operations', JSON.stringify(operation));
    form.set('map', '{}');
    const byForm = await fetch(`${world.url}/graphql`, {
      method: 'POST',
      headers: { 'API-Key': client.key },
      body: form,
    });
    expect(await byForm.json()).toEqual({ errors: refused });
    expect((await client.rest('POST', '/graphql', operation)).body).toEqual({ errors: refused });
    expect((await client.rest('POST', '/graphql', [operation])).body).toEqual([{ errors: refused }]);
  });

  it('has a file and a list that is far too long among its variables', async () => {
    const query =
      'mutation ($ids: [ID!]!, $file: Upload!) { deleteImages(ids: $ids) { __typename } uploadSource(file: $file) { name } }';
    const form = new FormData();
    form.set('operations', JSON.stringify({ query, variables: { ids: Array(200_000).fill('a'), file: null } }));
    form.set('map', '{"0":["variables.file"]}');
    form.set('0', new Blob(['x']), 'x.jpg');
    const answer = await fetch(`${world.url}/graphql`, {
      method: 'POST',
      headers: { 'API-Key': client.key },
      body: form,
    });
    const { errors } = await answer.json();
    expect(errors[0].message).not.toContain('stack');
  });

  it('has a list among its variables that is longer than any list may be', async () => {
    const variables = { ids: Array(100_001).fill('a') };
    const query = 'mutation ($ids: [ID!]!) { deleteImages(ids: $ids) { __typename } }';
    const { body } = await client.rest('POST', '/graphql', { query, variables });
    const message = 'ids has 100001 elements; a list may have 100000';
    expect(body).toMatchObject({ errors: [{ message, extensions: { code: 'invalid_argument', argument: 'ids' } }] });
  });

  it('says where', async () => {
    const { errors } = await askTwice('{\n  nothing\n}');
    const message = 'Cannot query field "nothing" on type "Query".';
    expect(errors).toMatchObject([{ message, locations: [{ line: 2, column: 3 }] }]);
  });

  it.each([
    ['POST', 'not JSON', 400],
    ['POST', '[]', 400],
    ['POST', '{}', 400],
    ['DELETE', undefined, 405],
  ])('is a request of another kind too: %s %j', async (method, body, status) => {
    const answer = await client.rest(method, '/graphql', body);
    expect(answer.status).toBe(status);
    expect(answer.body.errors).toEqual([{ message: expect.any(String), extensions: expect.any(Object) }]);
  });

  it('is a mutation by GET too', async () => {
    const query = encodeURIComponent('mutation { deleteImages(ids: ["a"]) { __typename } }');
    expect((await client.rest('GET', `/graphql?query=${query}`)).status).toBe(405);
    expect((await client.rest('GET', '/ops')).body).toEqual([]);
  });
});

describe('several fields of one document', () => {
  it('answer side by side where one that may be null fails', async () => {
    const { data, errors } = await askTwice('{ me { roleName } image(id: "a") { title } operation(id: 5) { id } }');
    expect([data, errors]).toEqual([{ me: { roleName: 'admin' }, image: null, operation: null }, undefined]);
  });

  it('chosen by name run alone', async () => {
    const query =
      'query a { me { roleName } } query b { images { count } } mutation c { deleteImages(ids: ["x"]) { __typename } }';
    for (let times = 0; times < 2; times += 1) {
      const a = await client.rest('POST', '/graphql', { query, operationName: 'a' });
      expect(a.body).toEqual({ data: { me: { roleName: 'admin' } } });
      const b = await client.rest('POST', '/graphql', { query, operationName: 'b' });
      expect(b.body).toEqual({ data: { images: { count: 0 } } });
    }
    expect((await client.rest('GET', '/ops')).body).toEqual([]);
  });
});

describe('a fault of ours', () => {
  it('is masked, and named by an id only', async () => {
    const { pool } = world.backing.database;
    await pool.query('ALTER TABLE image RENAME TO elsewhere');
    try {
      const { data, errors } = await askTwice('{ images { results { imageId } } }');
      expect(data).toBeNull();
      const extensions = { code: 'internal', requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) };
      expect(errors).toMatchObject([{ message: 'Internal Server Error', path: ['images'], extensions }]);
      const rest = await client.rest('GET', '/imgs');
      const body = { detail: 'Internal Server Error', request_id: rest.headers.get('x-request-id') };
      expect([rest.status, rest.body]).toEqual([500, body]);
    } finally {
      await pool.query('ALTER TABLE elsewhere RENAME TO image');
    }
  });
});

describe('the answer over HTTP', () => {
  const body = { query: '{ me { roleName } }' };

  it.each([
    ['application/json', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['application/graphql-response+json', 'application/graphql-response+json; charset=utf-8'],
  ])('to Accept: %s has that type, the first and the second time', async (accept, type) => {
    const query = `{ me { roleName } } # ${accept}`;
    for (let times = 0; times < 2; times += 1) {
      const answer = await client.rest('POST', '/graphql', { query }, { Accept: accept });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
      expect(answer.body).toEqual({ data: { me: { roleName: 'admin' } } });
      expect(answer.headers.get('api-version')).toBe('1.0.0');
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('is the same by GET, and with a slash at the end', async () => {
    const query = encodeURIComponent(body.query);
    const answers = [
      await client.rest('GET', `/graphql?query=${query}`),
      await client.rest('POST', '/graphql/', body),
      await client.rest('POST', '/graphql', body),
    ];
    expect(answers.map((answer) => answer.body)).toEqual(answers.map(() => ({ data: { me: { roleName: 'admin' } } })));
  });
});
