import { isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/index.ts';
import { roles, roleScopes } from '../../src/tenants/index.ts';
import { withWorld } from '../support/shared-world.ts';
import { createClient } from '../support/world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
});

describe('without a key', () => {
  it.each(['{ __typename }', '{ __schema { types { name } } }', '{ me { tenant } }', '{'])(
    'every document is answered 401 without being read: %s',
    async (query) => {
      const { status, headers, body } = await createClient(world.url, '').rest('POST', '/graphql', { query });
      const errors = [{ message: 'Not authenticated', extensions: { code: 'unauthenticated' } }];
      expect([status, headers.get('www-authenticate'), body]).toEqual([401, 'APIKey', { errors }]);
      const read = await fetch(`${world.url}/graphql?query=${encodeURIComponent(query)}`);
      expect(read.status).toBe(401);
    },
  );

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

  it('can read the schema', async () => {
    const { data, errors } = await client.graphql('{ __typename __schema { types { name fields { name } } } }');
    expect(errors).toBeUndefined();
    expect(data.__typename).toBe('Query');
    const own = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith('__'));
    const names = data.__schema.types.map((type: { name: string }) => type.name);
    expect(names).toEqual(expect.arrayContaining(own.map(({ name }) => name)));
    expect((await client.graphql('{ __type(name: "Image") { name } }')).data).toEqual({ __type: { name: 'Image' } });
  });

  it('is returned with its scopes', async () => {
    const { data } = await client.graphql(
      '{ me { roleName scopes key { prefix expiresAt } limits { batchElements } } }',
    );
    const key = { prefix: client.key.slice(0, 11), expiresAt: null };
    // Only keys of the first tenant manage the service.
    const scopes = roleScopes[role].filter((scope) => scope !== 'service:manage');
    expect(data.me).toEqual({ roleName: role, scopes, key, limits: { batchElements: 10_000 } });
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
