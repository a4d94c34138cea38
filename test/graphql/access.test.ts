import { isListType, isNonNullType, isObjectType } from 'graphql';
import type { GraphQLField, GraphQLInputType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/index.ts';
import { roles, roleScopes } from '../../src/tenants/index.ts';
import type { Scope } from '../../src/tenants/index.ts';
import { createClient, openWorld } from '../support/world.ts';
import type { Client, GraphQLAnswer, World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld({ worker: false });
});
afterAll(() => world.close());

/** The scope that every field at the root of the schema asks for. A new field must be added here. */
const scopeOf: Readonly<Record<string, Scope>> = {
  'Query.me': 'me:read',
  'Query.image': 'imgs:read',
  'Query.images': 'imgs:read',
  'Query.operation': 'ops:read',
  'Query.operations': 'ops:read',
  'Mutation.createImages': 'imgs:write',
  'Mutation.replaceImages': 'imgs:write',
  'Mutation.updateImages': 'imgs:write',
  'Mutation.deleteImages': 'imgs:write',
  'Mutation.abortOperation': 'ops:abort',
};

const acts: Readonly<Record<Scope, string>> = {
  'me:read': 'read its own role',
  'imgs:read': 'read images',
  'imgs:write': 'write images',
  'imgs:query': 'search by a query image',
  'imgs:tag': 'tag images',
  'vids:read': 'read videos',
  'vids:write': 'write videos',
  'ops:read': 'read operations',
  'ops:abort': 'abort operations',
  'keys:manage': 'manage API keys',
};

const samples: Readonly<Record<string, string>> = { ID: '"a"', BigInt: '1', ImageInput: '{ id: "a" }' };

function sample(type: GraphQLInputType): string {
  if (isNonNullType(type)) return sample(type.ofType);
  if (isListType(type)) return `[${sample(type.ofType)}]`;
  return samples[type.name] ?? `no sample of ${type.name}`;
}

/** A document for each root field, with a value for every argument that must be given. */
const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
  Object.values(type?.getFields() ?? {}).map((field: GraphQLField<unknown, unknown>) => {
    const required = field.args.filter(
      ({ type: argument, defaultValue }) => isNonNullType(argument) && defaultValue === undefined,
    );
    const args = required.map((argument) => `${argument.name}: ${sample(argument.type)}`).join(', ');
    const operation = type === schema.getMutationType() ? 'mutation' : 'query';
    const document = `${operation} { ${field.name}${args && `(${args})`} { __typename } }`;
    return { place: `${type?.name}.${field.name}`, name: field.name, document };
  }),
);

it('every field at the root of the schema has its scope in the table of this test', () => {
  expect(fields.map(({ place }) => place).toSorted()).toEqual(Object.keys(scopeOf).toSorted());
});

describe('without a key', () => {
  it.each(fields)('$place is refused', async ({ name, document }) => {
    const { data, errors } = await createClient(world.url, '').graphql(document);
    expect(data?.[name] ?? null).toBeNull();
    expect(errors).toMatchObject([
      { message: 'Not authenticated', path: [name], extensions: { code: 'unauthenticated' } },
    ]);
  });

  it('the schema can be read', async () => {
    const stranger = createClient(world.url, '');
    const { data, errors } = await stranger.graphql('{ __typename __schema { types { name fields { name } } } }');
    expect(errors).toBeUndefined();
    expect(data.__typename).toBe('Query');
    const own = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith('__'));
    const names = data.__schema.types.map((type: { name: string }) => type.name);
    expect(names).toEqual(expect.arrayContaining(own.map(({ name }) => name)));
    expect((await stranger.graphql('{ __type(name: "Image") { name } }')).data).toEqual({ __type: { name: 'Image' } });
  });

  it('the page to try documents is served, whatever it is compressed as', async () => {
    const answer = await fetch(`${world.url}/graphql`, { headers: { Accept: 'text/html' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('<html');
  });
});

describe('with a wrong key', () => {
  it.each([
    ['unknown', () => Promise.resolve(createClient(world.url, 'wrong'))],
    ['expired', () => world.client({ expiresAt: new Date(Date.now() - 1000) })],
  ])('that is %s, every document is answered 401, introspection too', async (_, make) => {
    const client = await make();
    for (const query of ['{ me { tenant } }', '{ __typename }', '{']) {
      const { status, headers, body } = await client.rest('POST', '/graphql', { query });
      const errors = [{ message: 'Invalid API key', extensions: { code: 'invalid_key' } }];
      expect([status, headers.get('www-authenticate'), body]).toEqual([401, 'APIKey', { errors }]);
    }
  });
});

describe.each(roles)('the role %s', (role) => {
  let client: Client;
  beforeAll(async () => {
    client = await world.client({ role });
  });

  const forbidden = (scope: Scope) => `Role '${role}' may not ${acts[scope]}`;
  const refusals = ({ errors = [] }: GraphQLAnswer) =>
    errors.filter(({ extensions }) => extensions['code'] === 'forbidden' || extensions['code'] === 'unauthenticated');

  it.each(fields)('may reach $place exactly if it has the scope', async ({ place, document }) => {
    const scope = scopeOf[place] as Scope;
    const expected = roleScopes[role].includes(scope)
      ? []
      : [{ message: forbidden(scope), extensions: { code: 'forbidden', requiredScope: scope } }];
    // Twice: a document that is known takes another way.
    for (let times = 0; times < 2; times += 1) {
      expect(refusals(await client.graphql(document))).toMatchObject(expected);
    }
  });

  it('is told with its scopes', async () => {
    const { data } = await client.graphql(
      '{ me { roleName scopes key { prefix expiresAt } limits { batchElements } } }',
    );
    const key = { prefix: client.key.slice(0, 11), expiresAt: null };
    expect(data.me).toEqual({ roleName: role, scopes: roleScopes[role], key, limits: { batchElements: 10_000 } });
  });
});

describe('a document that may do a part only', () => {
  it('gets that part and the refusal of the other', async () => {
    const viewer = await world.client({ role: 'viewer' });
    const { data, errors } = await viewer.graphql('mutation { abortOperation(id: 1) { id } }');
    expect(data).toEqual({ abortOperation: null });
    expect(errors).toMatchObject([
      { path: ['abortOperation'], extensions: { code: 'forbidden', requiredScope: 'ops:abort' } },
    ]);
  });

  it('writes nothing where the write is refused', async () => {
    const viewer = await world.client({ role: 'viewer' });
    await viewer.graphql(
      'mutation { a: deleteImages(ids: ["x"]) { __typename } b: deleteImages(ids: ["y"]) { __typename } }',
    );
    expect((await viewer.graphql('{ operations { count } }')).data).toEqual({ operations: { count: 0 } });
  });
});
