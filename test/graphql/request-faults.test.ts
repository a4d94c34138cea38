import { describe, expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
  client = await world.client();
});

describe('a request that is not GraphQL over HTTP', () => {
  it.each(['variables=x', 'variables={', 'extensions=x'])(
    'gets an error about parameters that are not JSON: %s',
    async (parameter) => {
      const { status, body } = await client.rest(
        'GET',
        `/graphql?query=${encodeURIComponent('{me{tenant}}')}&${parameter}`,
      );
      const extensions = { code: 'invalid_argument', argument: 'variables', hint: expect.any(String) };
      expect([status, body]).toMatchObject([400, { errors: [{ extensions }] }]);
    },
  );

  it('gets it for a urlencoded body too', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, body } = await client.rest('POST', '/graphql', 'query={me{tenant}}&variables=x', headers);
    expect([status, body]).toMatchObject([400, { errors: [{ extensions: { code: 'invalid_argument' } }] }]);
  });

  it.each(['variables=1', 'variables="a"', 'variables=[1]'])(
    'is refused with %s, which is no object',
    async (parameter) => {
      const query = encodeURIComponent('query($id: ID!) { image(id: $id) { imageId } }');
      const { status, body } = await client.rest('GET', `/graphql?query=${query}&${parameter}`);
      expect(status).toBe(400);
      expect(body.errors[0].extensions.code).not.toBe('internal');
    },
  );

  it.each(['text/plain', 'application/xml'])('gets an error about the type %s', async (type) => {
    const { status, body } = await client.rest('POST', '/graphql', '{"query":"{me{tenant}}"}', {
      'Content-Type': type,
    });
    const extensions = { code: 'unsupported_media', hint: expect.stringContaining('application/json') };
    expect([status, body]).toMatchObject([415, { errors: [{ message: expect.any(String), extensions }] }]);
  });

  it.each([
    ['application/json', '{"query":"{ images(q: \\"é\\") { count } }"}'],
    ['application/graphql', '{ images(q: "é") { count } }'],
  ])('gets an error about another encoding than UTF-8, as %s', async (type, text) => {
    const answer = await fetch(`${world.url}/graphql`, {
      method: 'POST',
      body: Buffer.from(text, 'latin1'),
      headers: { 'API-Key': client.key, 'Content-Type': type },
    });
    const extensions = { code: 'invalid_argument', hint: 'Send it in UTF-8' };
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { errors: [{ message: 'The body is not UTF-8', extensions }] },
    ]);
  });

  it('may begin with the mark of UTF-8', async () => {
    const { body } = await client.rest('POST', '/graphql', '\uFEFF{"query":"{me{tenant}}"}', {
      'Content-Type': 'application/json',
    });
    expect(body.errors).toBeUndefined();
  });

  it('gets an error about a missing body', async () => {
    const { status, body } = await client.rest('POST', '/graphql');
    expect([status, body.errors[0].extensions.code]).toEqual([415, 'unsupported_media']);
  });
});

describe('a value that stands in a document', () => {
  it.each([
    ['{ operation(id: 12345678901234567890) { numTotal } }', 'BigInt cannot be 12345678901234567890', 17],
    ['{ operation(id: "a") { numTotal } }', 'BigInt cannot be "a"', 17],
    ['{ operations(createdAfter: "x") { count } }', 'DateTime cannot be "x"', 28],
  ])('is shown with its place where it is wrong: %s', async (query, message, column) => {
    const { errors } = await client.graphql(query);
    const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
    expect(errors).toMatchObject([{ message, locations: [{ line: 1, column }], extensions }]);
  });

  it.each(['{ operation(id: 5) { numTotal } }', '{ operation(id: "5") { numTotal } }'])(
    'is read where it is right: %s',
    async (query) => {
      expect(await client.graphql(query)).toEqual({ data: { operation: null } });
    },
  );
});

describe('a list', () => {
  it('says how to go on where a page is too deep', async () => {
    const { errors } = await client.graphql('{ images(page: 3000) { results { imageId } } }');
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'page_too_deep',
      argument: 'page',
      hint: expect.stringContaining('cursor'),
    });
  });

  it('says what to ask where there is no similarity to sort by', async () => {
    const { errors } = await client.graphql('{ images(sortBy: sim) { results { imageId } } }');
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'sort_requires_similarity',
      hint: expect.stringContaining('i~'),
    });
  });
});

describe('a text with NUL, which the database cannot hold', () => {
  it('names nothing', async () => {
    const document = 'mutation($name: String!) { deleteSavedFormula(name: $name) { name } }';
    expect(await client.graphql(document, { name: '\0' })).toEqual({ data: { deleteSavedFormula: null } });
    expect(await client.graphql('{ image(id: "\\u0000") { title } }')).toEqual({ data: { image: null } });
  });
});
