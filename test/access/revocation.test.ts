import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/backing/index.ts';
import { openNotifications } from '../../src/backing/postgres/notifications.ts';
import { createLogger } from '../../src/observability/logger.ts';
import {
  createApiKey,
  createTenant,
  forTenant,
  openAccess,
  operator,
  revokeTenantKey,
} from '../../src/tenants/index.ts';
import type { Access } from '../../src/tenants/index.ts';
import { cloneDatabase } from '../support/database.ts';
import { full } from '../support/effort.ts';

const logger = createLogger('silent');
let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let first: Server;
let second: Server;
let tenantId: number;

/** What a server process has: its own pool, its own listening connection, its own memory. */
type Server = Readonly<{
  database: ReturnType<typeof openDatabase>;
  notifications: Awaited<ReturnType<typeof openNotifications>>;
  access: Access;
  close(): Promise<void>;
}>;

async function openServer(url: string): Promise<Server> {
  const database = openDatabase({ url, logger, maxConnections: 3 });
  const notifications = await openNotifications(url, logger);
  const access = openAccess({ database, notifications }, { rates: {} }, logger);
  return {
    database,
    notifications,
    access,
    async close() {
      await access.close();
      await notifications.close();
      await database.close();
    },
  };
}

beforeAll(async () => {
  clone = await cloneDatabase(inject('postgresUrl'));
  first = await openServer(clone.url);
  second = await openServer(clone.url);
  tenantId = (await createTenant(first.database, 'revocation')).id;
});
afterAll(async () => {
  await first.close();
  await second.close();
  await clone.drop();
});

async function newKey(): Promise<{ id: number; secret: string }> {
  const { key, secret } = await createApiKey(first.database, { tenantId, name: 'k', role: 'viewer' });
  return { id: key.id, secret };
}

/** Milliseconds until a server refuses a key that it is asked for all the time. */
async function untilRefused({ access }: Server, secret: string): Promise<number> {
  const start = performance.now();
  while ((await access.authenticate(secret)) !== null) {
    if (performance.now() - start > 5_000) return Number.POSITIVE_INFINITY;
    await sleep(2);
  }
  return performance.now() - start;
}

describe('a revoked key', () => {
  it('is refused by every process as soon as its notification arrives', async () => {
    const { id, secret } = await newKey();
    for (const { access } of [first, second]) expect(await access.authenticate(secret)).not.toBeNull();
    await revokeTenantKey(forTenant(first.database, tenantId), id, operator);
    const times = await Promise.all([first, second].map((server) => untilRefused(server, secret)));
    expect(Math.max(...times)).toBeLessThan(500);
  });

  it('is refused within a second by a process that misses the notification', async () => {
    const deaf = await openServer(clone.url);
    await deaf.notifications.close(); // From here on nothing that is sent reaches it.
    const { id, secret } = await newKey();
    expect(await deaf.access.authenticate(secret)).not.toBeNull();
    await revokeTenantKey(forTenant(first.database, tenantId), id, operator);
    expect(await untilRefused(deaf, secret)).toBeLessThan(1000);
    await deaf.access.close();
    await deaf.database.close();
  });

  it('is not kept alive by an answer that was under way when it was revoked', async () => {
    for (let times = 0; times < 20; times += 1) {
      const { id, secret } = await newKey();
      const asked = second.access.authenticate(secret);
      await revokeTenantKey(forTenant(first.database, tenantId), id, operator);
      await asked;
      expect(await untilRefused(second, secret)).toBeLessThan(1000);
    }
  });
});

it('a new key is known to every process at once, and to one that was asked for it before within a second', async () => {
  const secret = 'a-secret-of-the-operator-1';
  expect(await second.access.authenticate(secret)).toBeNull();
  await createApiKey(first.database, { tenantId, name: 'k', role: 'viewer', secret });
  expect(await first.access.authenticate(secret)).toMatchObject({ tenantId, role: 'viewer' });
  await expect
    .poll(() => second.access.authenticate(secret), { timeout: 1000, interval: 20 })
    .toMatchObject({ tenantId });
});

it(
  'twenty thousand guesses at once take two connections, and a known key waits behind none of them',
  full,
  async () => {
    const server = await openServer(clone.url);
    const { pool } = server.database;
    const { secret } = await newKey();
    expect(await server.access.authenticate(secret)).not.toBeNull();
    await sleep(1_000); // Until what was found is looked up again.
    let most = 0;
    pool.on('acquire', () => (most = Math.max(most, pool.totalCount - pool.idleCount)));
    let refused = 0;
    const guesses = Array.from({ length: 20_000 }, async (_, i) => {
      expect(await server.access.authenticate(`guess-${i}`)).toBeNull();
      refused += 1;
    });
    expect(await server.access.authenticate(secret)).toMatchObject({ tenantId });
    expect(refused).toBeLessThan(20_000);
    expect(pool.waitingCount).toBe(0);
    await Promise.all(guesses);
    expect(most).toBeLessThanOrEqual(3);
    await server.close();
  },
);
