import { describe, expect, it } from 'vitest';
import { roleScopes } from '../../src/tenants/index.ts';
import { withWorld } from '../support/shared-world.ts';
import { createClient } from '../support/world.ts';
import type { Client, GraphQLAnswer, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let admin: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
  admin = await world.client();
});

const create = (args: string, client = admin): Promise<GraphQLAnswer> =>
  client.graphql(
    `mutation { createApiKey(${args}) { secret key { id name prefix role scopes isValid expiresAt revokedAt } } }`,
  );
const coded = ({ errors }: GraphQLAnswer) => errors?.map(({ extensions }) => extensions['code']);

describe('a new key', () => {
  it('is shown once with its secret, works at once, and is listed without it', async () => {
    const { data } = await create('name: "newsroom", role: editor');
    const { secret, key } = data.createApiKey;
    expect(key).toEqual({
      id: expect.stringMatching(/^\d+$/),
      name: 'newsroom',
      prefix: secret.slice(0, 11),
      role: 'editor',
      scopes: roleScopes.editor,
      isValid: true,
      expiresAt: null,
      revokedAt: null,
    });
    expect((await createClient(world.url, secret).rest('GET', '/me')).body.client_name).toBe('newsroom');
    const list = await admin.graphql('{ apiKeys(limit: 1) { count results { id prefix lastUsedAt uses { count } } } }');
    expect(list.data.apiKeys.results).toMatchObject([{ id: key.id, prefix: key.prefix }]);
    expect(JSON.stringify(list)).not.toContain(secret);
    const stored = await world.backing.database.pool.query('SELECT k::text FROM api_key k WHERE id = $1', [key.id]);
    expect(JSON.stringify(stored.rows)).not.toContain(secret);
  });

  it('with scopes alone has the smallest role that has them, and no more than them', async () => {
    const { data } = await create('name: "reader", scopes: ["imgs:read", "imgs:write", "imgs:read"]');
    expect(data.createApiKey.key).toMatchObject({ role: 'editor', scopes: ['imgs:read', 'imgs:write'] });
    const client = createClient(world.url, data.createApiKey.secret);
    expect((await client.rest('GET', '/imgs')).status).toBe(200);
    const { status, body } = await client.rest('GET', '/ops');
    const detail = "Key 'reader' may not read operations";
    expect([status, body]).toEqual([403, { detail, code: 'forbidden', required_scope: 'ops:read' }]);
  });

  it.each([
    ['neither role nor scopes', 'name: "x"', 'role'],
    ['no scopes', 'name: "x", role: admin, scopes: []', 'scopes'],
    ['a scope that is none', 'name: "x", scopes: ["imgs:all"]', 'scopes'],
    ['a scope beyond its role', 'name: "x", role: viewer, scopes: ["imgs:write"]', 'scopes'],
    ['an empty name', 'name: " ", role: viewer', 'name'],
    ['a name too long', `name: "${'x'.repeat(101)}", role: viewer`, 'name'],
    ['a control character in its name', String.raw`name: "a\u0000b", role: viewer`, 'name'],
    ['an end that is over', 'name: "x", role: viewer, expiresAt: "2020-01-01T00:00:00Z"', 'expiresAt'],
  ])('with %s is refused', async (_, args, argument) => {
    expect((await create(args)).errors).toMatchObject([{ extensions: { code: 'invalid_argument', argument } }]);
  });
});

it.each([
  ['scopes: ["imgs:red"]', 'Did you mean imgs:read?'],
  ['scopes: ["all"]', 'Use scopes of the list, or a role'],
  ['role: viewer, scopes: ["imgs:write"]', "Leave them out, or create the key with the role 'editor'"],
  ['', 'Roles: viewer, tagger, editor, admin'],
])('a refusal of the rights %j says what to do', async (rights, hint) => {
  expect((await create(`name: "x", ${rights}`)).errors).toMatchObject([{ extensions: { hint } }]);
});

it('a name with half a character in it is refused as well', async () => {
  const query = 'mutation ($name: String!) { createApiKey(name: $name, role: viewer) { secret } }';
  expect((await admin.graphql(query, { name: 'a\ud800' })).errors).toMatchObject([
    { extensions: { code: 'invalid_argument', argument: 'name' } },
  ]);
});

describe('a key that makes keys', () => {
  it('grants by name no scope that its tenant does not have', async () => {
    const own = await world.client();
    expect(coded(await create('name: "c", scopes: ["service:manage"]', own))).toEqual(['forbidden']);
    expect((await create('name: "d", role: admin', own)).errors).toBeUndefined();
  });

  it('grants no scope that it does not have', async () => {
    const narrow = await world.client({ role: 'admin', scopes: ['keys:manage', 'imgs:read'] });
    expect((await create('name: "a", scopes: ["imgs:read"]', narrow)).errors).toBeUndefined();
    for (const args of ['role: viewer', 'role: admin', 'scopes: ["imgs:read", "imgs:write"]']) {
      const { errors } = await create(`name: "b", ${args}`, narrow);
      const [argument] = args.split(':');
      const hint = 'It can grant imgs:read, keys:manage';
      expect(errors).toMatchObject([{ extensions: { code: 'forbidden', argument, hint } }]);
    }
  });

  it('grants no longer life than its own', async () => {
    const end = new Date(Date.now() + 3_600_000);
    const brief = await world.client({ expiresAt: end });
    const { data } = await create('name: "a", role: viewer', brief);
    expect(data.createApiKey.key.expiresAt).toBe(end.toISOString());
    const later = new Date(end.getTime() + 1).toISOString();
    expect(coded(await create(`name: "b", role: viewer, expiresAt: "${later}"`, brief))).toEqual(['forbidden']);
  });

  it('cannot get the rights of a stronger key by rotating it', async () => {
    const own = await world.client();
    const tenant = (await own.rest('GET', '/me')).body.tenant;
    const narrow = await world.client({ tenant, scopes: ['keys:manage'] });
    const { data } = await narrow.graphql('{ apiKeys(limit: 10) { results { id role scopes } } }');
    const strong = data.apiKeys.results.find(({ scopes }: { scopes: string[] }) => scopes.length > 1);
    expect(coded(await narrow.graphql(`mutation { rotateApiKey(id: "${strong.id}") { secret } }`))).toEqual([
      'forbidden',
    ]);
    expect((await own.rest('GET', '/me')).status).toBe(200);
  });
});

describe('revoking', () => {
  it('makes a key invalid and leaves a revoked one as it is', async () => {
    const { secret, key } = (await create('name: "gone", role: viewer')).data.createApiKey;
    const client = createClient(world.url, secret);
    expect((await client.rest('GET', '/me')).status).toBe(200);
    const revoke = `mutation { revokeApiKey(id: "${key.id}") { id isValid revokedAt } }`;
    const first = await admin.graphql(revoke);
    expect(first.data.revokeApiKey).toEqual({ id: key.id, isValid: false, revokedAt: expect.any(String) });
    await expect.poll(async () => (await client.rest('GET', '/me')).status, { timeout: 1000, interval: 10 }).toBe(401);
    expect(await admin.graphql(revoke)).toEqual(first);
  });

  it.each(['0', '-1', 'x', '99999999999', '1e3', ''])('finds no key %j', async (id) => {
    const { data, errors } = await admin.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id });
    expect([data, errors]).toEqual([{ revokeApiKey: null }, undefined]);
  });
});

describe('rotating', () => {
  const rotate = (id: string, overlap: number) =>
    admin.graphql(
      `mutation { rotateApiKey(id: "${id}", overlapSeconds: ${overlap}) { secret key { id name role scopes } } }`,
    );

  it('gives a successor with the same rights and ends the old key at once, or after a while', async () => {
    for (const overlap of [0, 3600]) {
      const { secret, key } = (await create('name: "worker", scopes: ["me:read"]')).data.createApiKey;
      const { secret: next, key: successor } = (await rotate(key.id, overlap)).data.rotateApiKey;
      expect(successor).toEqual({
        id: expect.not.stringMatching(`^${key.id}$`),
        name: 'worker',
        role: 'viewer',
        scopes: ['me:read'],
      });
      expect((await createClient(world.url, next).rest('GET', '/me')).status).toBe(200);
      expect((await createClient(world.url, secret).rest('GET', '/me')).status).toBe(overlap === 0 ? 401 : 200);
    }
  });

  it('lets the old key end when its overlap is over', async () => {
    const { secret, key } = (await create('name: "worker", role: viewer')).data.createApiKey;
    await rotate(key.id, 1);
    const old = createClient(world.url, secret);
    expect((await old.rest('GET', '/me')).status).toBe(200);
    await expect.poll(async () => (await old.rest('GET', '/me')).status, { timeout: 2500, interval: 20 }).toBe(401);
  });

  it('of a key that is revoked, or for longer than a month, is refused', async () => {
    const { key } = (await create('name: "worker", role: viewer')).data.createApiKey;
    expect(coded(await rotate(key.id, 30 * 86_400 + 1))).toEqual(['invalid_argument']);
    await rotate(key.id, 0);
    expect(coded(await rotate(key.id, 0))).toEqual(['invalid_argument']);
  });

  it('twice at the same time gives one successor', async () => {
    const { key } = (await create('name: "worker", role: viewer')).data.createApiKey;
    const answers = await Promise.all([rotate(key.id, 0), rotate(key.id, 0)]);
    expect(answers.filter(({ errors }) => errors === undefined)).toHaveLength(1);
  });
});

describe('the list of keys', () => {
  it('comes in pages and counts all', async () => {
    const own = await world.client();
    for (const name of ['a', 'b', 'c']) await create(`name: "${name}", role: viewer`, own);
    const page = async (number: number) =>
      (await own.graphql(`{ apiKeys(page: ${number}, limit: 2) { count results { name } } }`)).data.apiKeys;
    expect(await page(1)).toEqual({ count: 4, results: [{ name: 'c' }, { name: 'b' }] });
    expect((await page(2)).results).toMatchObject([{ name: 'a' }, { name: expect.stringMatching('admin of') }]);
    const far = await own.graphql('{ apiKeys(page: 2147483647, limit: 1000) { results { name } } }');
    expect(far).toEqual({ data: { apiKeys: { results: [] } } });
  });
});
