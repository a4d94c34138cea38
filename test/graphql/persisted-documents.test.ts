import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
  client = await world.client();
});

const digest = (query: string) => createHash('sha256').update(query).digest('hex');
const named = (query: string, hash = digest(query)) => ({ persistedQuery: { version: 1, sha256Hash: hash } });
const post = (body: object, headers = {}) => client.rest('POST', '/graphql', body, headers);

describe('a document that is asked for by its digest', () => {
  it('is asked for in full while it is not known, then answered by the digest alone', async () => {
    const query = '{ me { tenant } }';
    const unknown = await post({ extensions: named(query) });
    expect(unknown.body.errors).toMatchObject([
      {
        message: 'PersistedQueryNotFound',
        extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', hint: expect.any(String) },
      },
    ]);
    const first = await post({ query, extensions: named(query) });
    expect(first.body.data.me.tenant).toMatch(/^tenant-/);
    const later = [await post({ extensions: named(query) }), await post({ extensions: named(query) })];
    expect(later.map(({ body }) => body)).toEqual([first.body, first.body]);
  });

  it('is not known because another tenant has sent it', async () => {
    const query = '{ me { tenant roleName } }';
    await post({ query, extensions: named(query) });
    const stranger = await world.client();
    const { body } = await stranger.rest('POST', '/graphql', { extensions: named(query) });
    expect(body.errors[0].message).toBe('PersistedQueryNotFound');
    const list = await stranger.rest('POST', '/graphql', [{ extensions: named(query) }]);
    expect(list.body[0].errors[0].message).toBe('PersistedQueryNotFound');
  });

  it('takes variables and the name of an operation', async () => {
    const query = 'query A { me { tenant } } query B($id: ID!) { image(id: $id) { imageId } }';
    const variables = { id: 'none' };
    await post({ query, operationName: 'B', variables, extensions: named(query) });
    const { body } = await post({ operationName: 'B', variables, extensions: named(query) });
    expect(body).toEqual({ data: { image: null } });
  });

  it('is answered by GET too', async () => {
    const query = '{ __typename }';
    await post({ query, extensions: named(query) });
    const { body } = await client.rest(
      'GET',
      `/graphql?extensions=${encodeURIComponent(JSON.stringify(named(query)))}`,
    );
    expect(body).toEqual({ data: { __typename: 'Query' } });
  });

  it('says by its status that it is not known, to those who read the newer type of answer', async () => {
    const accept = { accept: 'application/graphql-response+json' };
    expect((await post({ extensions: named('{ a }') }, accept)).status).toBe(404);
    expect((await post({ extensions: named('{ a }') })).status).toBe(200);
  });

  it('is refused with the digest of another', async () => {
    const { status, body } = await post({ query: '{ me { roleName } }', extensions: named('', 'ab'.repeat(32)) });
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'PERSISTED_QUERY_MISMATCH']);
  });

  it('is not kept for who sends no key', async () => {
    const query = '{ __schema { __typename } }';
    const headers = { 'API-Key': '' };
    expect((await post({ query, extensions: named(query) }, headers)).status).toBe(401);
    const { body } = await post({ extensions: named(query) });
    expect(body.errors[0].message).toBe('PersistedQueryNotFound');
  });

  it.each([[{ other: 1 }], [{ persistedQuery: null }], [{ persistedQuery: { version: 2, sha256Hash: 'a' } }], [null]])(
    'is no such document with the extensions %j',
    async (extensions) => {
      expect((await post({ query: '{ me { roleName } }', extensions })).body).toEqual({
        data: { me: { roleName: 'admin' } },
      });
      expect((await post({ extensions })).status).toBe(400);
    },
  );
});
