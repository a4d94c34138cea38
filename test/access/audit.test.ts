import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { describe, expect, it } from 'vitest';
import { removeExpired } from '../../src/operations/index.ts';
import { setTenant } from '../../src/tenants/index.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: SharedWorld;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
});

type Entry = Readonly<Record<string, unknown>>;

async function trail(client: Client, args = ''): Promise<Entry[]> {
  await world.access.journal.flush();
  const { data } = await client.graphql(
    `{ auditTrail(limit: 1000${args}) { results { at lastAt count action subject keyId keyPrefix operationId requestId address } } }`,
  );
  return data.auditTrail.results;
}

const prefixOf = (client: Client) => client.key.slice(0, 11);
const tenantOf = async (client: Client): Promise<string> => (await client.rest('GET', '/me')).body.tenant;

describe('the trail', () => {
  it('records how a tenant began: its creation, its keys, its settings, by the operator', async () => {
    const admin = await world.client();
    await setTenant(world.backing.database, await tenantOf(admin), ['max_images=10', 'search_verify=true']);
    const entries = await trail(admin);
    expect(entries.map(({ action, subject }) => [action, subject]).toReversed()).toEqual([
      ['tenant.created', null],
      ['key.created', expect.stringMatching(`^key \\d+ \\(${prefixOf(admin)}\\)$`)],
      ['tenant.changed', 'max_images=10'],
      ['tenant.changed', 'search_verify=true'],
    ]);
    for (const entry of entries)
      expect(entry).toMatchObject({ keyId: null, keyPrefix: null, requestId: null, count: 1 });
  });

  it('names the key and the request of what was done to keys', async () => {
    const admin = await world.client();
    const query = 'mutation { createApiKey(name: "a", role: viewer) { key { id prefix } } }';
    const made = (await admin.rest('POST', '/graphql', { query }, { 'X-Request-Id': 'the-request' })).body;
    const { id, prefix } = made.data.createApiKey.key;
    await admin.graphql(`mutation { revokeApiKey(id: "${id}") { id } }`);
    await admin.graphql(`mutation { revokeApiKey(id: "${id}") { id } }`); // Nothing happens, nothing is recorded.
    const [revoked, created, ...others] = await trail(admin);
    const own = {
      subject: `key ${id} (${prefix})`,
      keyPrefix: prefixOf(admin),
      address: expect.stringContaining('127.0.0.1'),
    };
    expect(created).toMatchObject({ action: 'key.created', requestId: 'the-request', ...own });
    expect(revoked).toMatchObject({ action: 'key.revoked', ...own });
    expect(others).toHaveLength(2);
  });

  it('has each write that was accepted, from its acceptance on, and its abort', async () => {
    const admin = await world.client();
    const requestId = randomUUID();
    const { body } = await admin.rest('PATCH', '/imgs', [{ id: 'a', title: 'b' }], { 'X-Request-Id': requestId });
    await admin.rest('DELETE', `/ops/${body.operation_id}`);
    await admin.rest('DELETE', `/ops/${body.operation_id}`);
    const entries = await trail(admin, `, after: "${new Date(Date.now() - 60_000).toISOString()}"`);
    const own = { operationId: body.operation_id, keyPrefix: prefixOf(admin) };
    expect(entries.slice(0, 2)).toMatchObject([
      { action: 'operation.aborted', ...own },
      { action: 'operation.accepted', subject: 'images.update', requestId, ...own },
    ]);
    expect(entries.filter(({ operationId }) => operationId !== null)).toHaveLength(2);
  });

  it('holds a flood of refusals as one entry with their number', async () => {
    const admin = await world.client();
    const viewer = await world.client({ tenant: await tenantOf(admin), role: 'viewer' });
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => viewer.rest('DELETE', '/imgs/x')));
      await world.access.journal.flush();
    }
    await viewer.rest('DELETE', '/ops/1');
    const refused = await trail(admin, ', action: "access.forbidden"');
    // More than one each only when an hour ends meanwhile.
    const counts = new Map<unknown, number>();
    for (const { subject, count } of refused) counts.set(subject, (counts.get(subject) ?? 0) + Number(count));
    expect([...counts]).toEqual(
      expect.arrayContaining([
        ['imgs:write', 60],
        ['ops:abort', 1],
      ]),
    );
    expect(refused.length).toBeLessThanOrEqual(4);
    expect(refused[0]).toMatchObject({ keyPrefix: prefixOf(viewer), requestId: expect.any(String) });
  });

  it('says where a refused call over a WebSocket came from', async () => {
    const admin = await world.client();
    const viewer = await world.client({ tenant: await tenantOf(admin), role: 'viewer' });
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/graphql`, ['graphql-transport-ws'], {
      headers: { 'API-Key': viewer.key },
    });
    const messages: unknown[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data)).type));
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init' }));
    await expect.poll(() => messages).toContain('connection_ack');
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: '{ apiKeys { count } }' } }));
    await expect.poll(() => messages.length).toBeGreaterThan(1);
    socket.close();
    const [refused] = await trail(admin, ', action: "access.forbidden"');
    expect(refused).toMatchObject({ subject: 'keys:manage', address: expect.stringContaining('127.0.0.1') });
  });

  it('has requests over a rate limit, and uses of keys that are over', async () => {
    const admin = await world.client();
    const tenant = await tenantOf(admin);
    await setTenant(world.backing.database, tenant, ['rate_write=1/h']);
    const expired = await world.client({ tenant, expiresAt: new Date(Date.now() - 1000) });
    await expect.poll(async () => (await admin.rest('DELETE', '/imgs/x')).status, { interval: 20 }).toBe(429);
    expect((await expired.rest('GET', '/me')).status).toBe(401);
    const entries = await trail(admin);
    expect(entries).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ action: 'access.rate_limited', subject: 'write', keyPrefix: prefixOf(admin) }),
        expect.objectContaining({ action: 'access.invalid_key', subject: 'expired', keyPrefix: prefixOf(expired) }),
      ]),
    );
  });

  it('can be asked for one action and one key by its id, and knows which actions there are', async () => {
    const admin = await world.client();
    await admin.rest('DELETE', '/imgs/x');
    expect(await trail(admin, ', action: "operation.accepted"')).toHaveLength(1);
    const [{ keyId }] = (await trail(admin, ', action: "operation.accepted"')) as [Entry];
    const { data } = await admin.graphql('{ apiKeys { results { id } } }');
    expect(keyId).toBe(data.apiKeys.results[0].id);
    expect(await trail(admin, `, keyId: "${keyId}"`)).toHaveLength(1);
    expect(await trail(admin, ', keyId: "none"')).toEqual([]);
    const { errors } = await admin.graphql('{ auditTrail(action: "x") { count } }');
    expect(errors).toMatchObject([{ extensions: { code: 'invalid_argument', argument: 'action' } }]);
  });

  it('is kept for 90 days', async () => {
    const admin = await world.client();
    const { pool } = world.backing.database;
    const [, made] = (await trail(admin)) as [Entry, Entry];
    expect(made['action']).toBe('tenant.created');
    const age = (days: number) =>
      pool.query(
        `UPDATE audit SET at = now() - make_interval(days => $2), last_at = now() - make_interval(days => $2)
         WHERE action = 'tenant.created' AND tenant_id = (SELECT id FROM tenant WHERE name = $1)`,
        [tenant, days],
      );
    const tenant = await tenantOf(admin);
    await age(89);
    await removeExpired(world.backing.database);
    expect(await trail(admin)).toHaveLength(2);
    await age(91);
    await removeExpired(world.backing.database);
    expect((await trail(admin)).map(({ action }) => action)).toEqual(['key.created']);
  });
});

describe('the use of a key', () => {
  it('is counted by day and shown with the key', async () => {
    const admin = await world.client();
    for (let times = 0; times < 5; times += 1) await admin.rest('GET', '/imgs');
    await world.access.journal.flush();
    const { data } = await admin.graphql('{ apiKeys { results { lastUsedAt uses { day count } } } }');
    const [{ lastUsedAt, uses }] = data.apiKeys.results;
    expect(Date.now() - Date.parse(lastUsedAt)).toBeLessThan(60_000);
    expect(uses.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(5);
    expect(uses[0].day).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  it('is written a moment later without being asked for', full, async () => {
    const admin = await world.client();
    await admin.rest('GET', '/me');
    await expect
      .poll(
        async () => (await admin.graphql('{ apiKeys { results { lastUsedAt } } }')).data.apiKeys.results[0].lastUsedAt,
        {
          timeout: 6000,
        },
      )
      .not.toBeNull();
  });
});
