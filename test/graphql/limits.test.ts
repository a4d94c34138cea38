import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getIntrospectionQuery, getOperationAST } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageFields, videoFields } from '../../rest/endpoints/contract.ts';
import { documentWith, readDocument } from '../../rest/answer/documents.ts';
import { checkDocument, weigh } from '../../src/graphql/server/check-document.ts';
import { tabs } from '../../src/graphql/server/graphiql-tabs.ts';
import { schema } from '../../src/graphql/index.ts';
import { documentLimits } from '../../src/graphql/server/limits.ts';
import type { LimitName } from '../../src/graphql/server/limits.ts';
import { parseDocument } from '../../src/graphql/server/parse-document.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { full } from '../support/effort.ts';

/** The refusal of a text with these variables by the rules that the service uses, or null. */
function refusal(text: string, variables: object = {}): Record<string, unknown> | null {
  try {
    const document = parseDocument(text);
    const [fault] = checkDocument(schema, document);
    if (fault !== undefined) return { message: fault.message, ...fault.extensions };
    for (const definition of document.definitions) {
      if (definition.kind !== 'OperationDefinition') continue;
      const cost = weigh(schema, document, definition).openCost?.({ ...variables }) ?? 0;
      if (cost > documentLimits.cost.max) return { limit: 'cost', actual: cost };
    }
    return null;
  } catch (error) {
    return { ...(error as { extensions: object }).extensions };
  }
}

function costOf(text: string, variables: object = {}): number {
  const document = parseDocument(text);
  const operation = getOperationAST(document);
  if (operation === null || operation === undefined) throw new Error('not one operation');
  const { openCost, cost } = weigh(schema, document, operation);
  return openCost === null ? cost : openCost({ ...variables });
}

const repeat = (times: number, text: (index: number) => string) =>
  Array.from({ length: times }, (_, i) => text(i)).join(' ');
const nested = (levels: number) => `{ ${'a { '.repeat(levels - 1)} a ${'} '.repeat(levels - 1)} }`;
const wrapped = (levels: number) =>
  `{ __type(name: "Image") { ${'ofType { '.repeat(levels - 2)} name ${'} '.repeat(levels - 1)} }`;

/** For each limit a document that has just so much of it. */
const documents: Readonly<Record<Exclude<LimitName, 'batch'>, (amount: number) => string>> = {
  length: (amount) => '{ me { tenant } } #'.padEnd(amount, '-'),
  tokens: (amount) => `query ($ids: [ID!]! = [${repeat(amount - 20, () => '"a"')}]) { me { tenant } } `,
  nesting: (amount) => `{ image(id: ${'['.repeat(amount - 2)}${']'.repeat(amount - 2)}) { title } }`,
  directives: (amount) => `{ me ${'@skip(if: false) '.repeat(amount)} { tenant } }`,
  selections: (amount) => `{ me { ${'...F '.repeat((amount - 1) / 3)} } } fragment F on Me { tenant scopes }`,
  rootFields: (amount) => `{ ${'...F '.repeat(amount)} } fragment F on Query { me { tenant } }`,
  aliases: (amount) => `{ me { ${repeat(amount, (i) => `a${i}: tenant`)} } }`,
  depth: nested,
  introspectionDepth: wrapped,
  introspectionLists: (amount) =>
    `{ __type(name: "Image") { ${'fields { type { '.repeat(amount)} name ${'} } '.repeat(amount)} } }`,
  cost: (amount) => `{ images(limit: ${(amount - 1) / 5}) { results { title city country event } } }`,
};

/** The largest amount that a document of its kind can have within the limit. */
const largest: Partial<Record<LimitName, number>> = { selections: 1_000, cost: 599_996 };
const next: Partial<Record<LimitName, number>> = { selections: 1_003, cost: 600_001 };

describe('a limit', () => {
  it.each(Object.keys(documents) as (keyof typeof documents)[])('on %s lets through what reaches it', (name) => {
    const answer = refusal(documents[name](largest[name] ?? documentLimits[name].max));
    expect(answer?.['limit']).toBeUndefined();
  });

  it.each(Object.keys(documents) as (keyof typeof documents)[])('on %s refuses one more', (name) => {
    const { max, hint } = documentLimits[name];
    const actual = next[name] ?? max + 1;
    expect(refusal(documents[name](actual))).toMatchObject({
      code: 'document_too_complex',
      limit: name,
      max,
      actual,
      hint,
    });
  });

  it('is not passed by fragments that double each other, and counting them ends', () => {
    const chain = repeat(60, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`);
    const answer = refusal(`{ ...F0 } ${chain} fragment F60 on Query { me { tenant } }`);
    expect(answer).toMatchObject({ limit: 'selections', actual: Number.MAX_SAFE_INTEGER });
  });

  it('does not meet fragments that go in circles: they are refused as what they are', () => {
    const circles = '{ ...A } fragment A on Query { ...B ...B } fragment B on Query { ...A ...A }';
    expect(refusal(circles)?.['message']).toMatch(/Cannot spread fragment "A" within itself/);
  });

  it('holds for every operation of a document, also those that are not asked for', () => {
    const text = `query a { me { tenant } } query b ${nested(13)}`;
    expect(refusal(text)).toMatchObject({ limit: 'depth', actual: 13 });
  });

  it('counts comments and ignored characters only as length', () => {
    expect(refusal(`${'#\n,'.repeat(30_000)} { me { tenant } }`)).toBeNull();
  });
});

describe('the cost of a document', () => {
  const page =
    'query ($n: Int, $m: Int! = 7) { a: images(limit: $n) { results { title } } b: operations(limit: $m) { results { errors { code } } } }';

  it.each([
    [{ n: 100 }, 1 + 100 * 2 + 1 + 7 * (1 + 100 * 2)],
    [{ n: 0 }, 1 + 0 + 1 + 7 * 201],
    [{}, 1 + 50 * 2 + 1 + 7 * 201],
    [{ n: null }, 1 + 50 * 2 + 1 + 7 * 201],
    [{ n: 'many' }, 1 + 50 * 2 + 1 + 7 * 201],
    [{ n: -5 }, 1 + 50 * 2 + 1 + 7 * 201],
    [{ n: 10_000, m: 1_000 }, 1 + 10_000 * 2 + 1 + 1_000 * 201],
  ])('with variables %j is %i', (variables, cost) => {
    expect(costOf(page, variables)).toBe(cost);
  });

  it.each([
    ['imagesConnection(first: 20) { edges { cursor node { title } } }', {}, 1 + 20 * (1 + 1 + 1 + 1)],
    ['imagesConnection(last: 7) { nodes { title } totalCount }', {}, 1 + 7 * 2 + 1],
    ['imagesConnection { nodes { title } }', {}, 1 + 50 * 2],
    ['imagesConnection(first: $n) { nodes { title } }', { n: 900 }, 1 + 900 * 2],
    ['imagesConnection(first: null, last: $n) { nodes { title } }', { n: 900 }, 1 + 900 * 2],
    ['imagesConnection(first: $n, last: 1000) { nodes { title } }', { n: 900 }, 1 + 1000 * 2],
    ['nodes(ids: ["a", "b", "c"]) { nodeId }', {}, 3 * 2],
    ['nodes(ids: $ids) { nodeId }', { ids: ['a', 'b', 'c', 'd'] }, 4 * 2],
    ['images { count @include(if: $is) results @skip(if: $is) { title } }', { is: true }, 1 + 1],
    ['images { count @include(if: $is) results @skip(if: $is) { title } }', { is: false }, 1 + 50 * 2],
    ['images { count @include(if: $is) results @skip(if: $is) { title } }', {}, 1 + 1 + 50 * 2],
  ])('of %s with variables %j is %i', (field, variables, cost) => {
    expect(costOf(`query ($n: Int, $ids: [ID!]! = [], $is: Boolean! = true) { ${field} }`, variables)).toBe(cost);
  });

  it('is known before a request where no variable decides it', () => {
    const text = '{ images { results { title } } }';
    const document = parseDocument(text);
    const operation = getOperationAST(document);
    expect(operation && weigh(schema, document, operation).openCost).toBeNull();
  });
});

describe('every document of ours', () => {
  const names = readdirSync(join(packageRoot, 'rest/documents')).filter((name) => name.endsWith('.graphql'));

  it.each(names)('%s is compiled, and within the limits with all fields and the longest page', (name) => {
    const id = name.replace(/\.graphql$/, '');
    const [type, fields] = name.includes('video') ? ['Video', videoFields] : ['Image', imageFields];
    const text = readDocument(id);
    const withFields = text.includes('...RequestedFields') ? documentWith(id, type, fields) : text;
    const document = parseDocument(withFields);
    const operation = getOperationAST(document);
    const isSubscription = operation?.operation === 'subscription';
    // A page of a thousand takes three times as long without the compiler.
    expect(isSubscription || (operation && weigh(schema, document, operation).isBeyondCompiler)).toBe(isSubscription);
    const longest =
      {
        'list-operations.graphql': 1_000,
        'list-duplicates.graphql': 100,
        'list-operation-changes.graphql': 200,
        'list-image-history.graphql': 200,
        'list-video-history.graphql': 200,
      }[name] ?? 10_000;
    expect(refusal(withFields, { limit: longest, members: 100 })).toBeNull();
  });

  it.each(tabs)('that GraphiQL opens with is within the limits: $query', ({ query }) => {
    expect(refusal(query)).toBeNull();
  });

  it('that asks for the whole schema is within the limits', () => {
    const options = {
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
    };
    expect(refusal(getIntrospectionQuery({ ...options, oneOf: true }))).toBeNull();
  });
});

describe('the answer to a document beyond a limit', () => {
  let world: World;
  let client: Client;
  beforeAll(async () => {
    world = await openWorld({ worker: false });
    client = await world.client();
  });
  afterAll(() => world.close());

  const modern = { Accept: 'application/graphql-response+json' };
  const ask = (query: unknown, variables: object = {}, headers: Record<string, string> = {}) =>
    client.rest('POST', '/graphql', { query, variables }, headers);

  it.each(Object.keys(documents) as (keyof typeof documents)[])(
    'names %s, what it has and what is allowed',
    async (name) => {
      const { max, hint } = documentLimits[name];
      const actual = next[name] ?? max + 1;
      const query = documents[name](actual);
      const errors = [{ extensions: { code: 'document_too_complex', limit: name, actual, max, hint } }];
      const [first, second, legacy] = [await ask(query, {}, modern), await ask(query, {}, modern), await ask(query)];
      expect([first.status, second.status, legacy.status]).toEqual([400, 400, 200]);
      for (const { body } of [first, second, legacy]) {
        expect(body).toMatchObject({ errors });
        expect(body).not.toHaveProperty('data');
        expect(body.errors[0].message).toContain(`${actual}`);
        expect(body.errors[0].extensions).not.toHaveProperty('http');
      }
    },
  );

  it('whose variables make it costly is refused the first time and later, and nothing has run', async () => {
    const query = 'query ($n: Int!) { a: images(limit: $n) { results { title author city country } } }';
    const extensions = { code: 'document_too_complex', limit: 'cost', actual: 600_006, max: 600_000 };
    for (let times = 0; times < 2; times += 1) {
      const answer = await ask(query, { n: 120_001 }, modern);
      expect([answer.status, answer.body]).toMatchObject([400, { errors: [{ extensions }] }]);
      expect(answer.body).not.toHaveProperty('data');
      expect((await ask(query, { n: 120_001 })).status).toBe(200);
      expect((await ask(query, { n: 10 }, modern)).body).toEqual({ data: { a: { results: [] } } });
    }
  });

  it.each([
    ['one string', (size: number) => `{ image(id: "${'a'.repeat(size)}") { title } }`],
    ['open brackets', (size: number) => '{a'.repeat(size / 2)],
    ['comment', (size: number) => '#'.repeat(size)],
    ['fields', (size: number) => `{ ${'a '.repeat(size / 2)} }`],
  ])('of a megabyte of %s comes at once and without its memory', async (_what, text) => {
    const query = text(1_000_000);
    const before = process.memoryUsage.rss();
    const started = performance.now();
    const { status, body } = await ask(query, {}, modern);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(600 * 2 ** 20);
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'document_too_complex']);
    expect(JSON.stringify(body).length).toBeLessThan(1_000);
  });

  it('is not given to a large request whose size is in its variables', full, async () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => `${i}${'x'.repeat(2_800)}`);
    const { status, body } = await ask('mutation ($ids: [ID!]!) { deleteImages(ids: $ids) { __typename } }', { ids });
    expect([status, body]).toEqual([200, { data: { deleteImages: { __typename: 'PendingOperation' } } }]);
  });
});
