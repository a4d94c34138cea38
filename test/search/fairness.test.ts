import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectionLimits } from '../../src/backing/postgres/fair-connections.ts';
import { parallelSearches } from '../../src/graphql/schema/search/parallel-searches.ts';
import { activeMs } from '../../src/lib/active-tenants.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: World;
let quiet: Client;
let busy: Client;
let busyDb: TenantDb;
/** Searches of the busy tenant that have begun; they end together. */
let begun = 0;
let end = () => {};
const asked: Promise<unknown>[] = [];

beforeAll(async () => {
  world = await openWorld();
  await world.picture('p.png');
  [quiet, busy] = [await world.client({ tenant: 'quiet' }), await world.client({ tenant: 'busy' })];
  for (const client of [quiet, busy]) await client.write('POST', '/imgs', [{ id: 'a', src_path: 'p.png', title: 'A' }]);
  const { database } = world.backing;
  const tenant = await database.prisma.tenant.findUniqueOrThrow({ where: { name: 'busy' } });
  busyDb = forTenant(database, tenant.id);
});
afterEach(async () => {
  end();
  await Promise.allSettled(asked.splice(0));
  begun = 0;
});
afterAll(() => world.close());

/** Has the busy tenant search until the test ends. */
function keepSearching(count: number): void {
  const ended = new Promise<void>((resolve) => (end = resolve));
  for (let i = 0; i < count; i += 1) {
    asked.push(
      busyDb.search(() => {
        begun += 1;
        return ended;
      }),
    );
  }
}

const reads = [
  '/imgs/a',
  '/imgs?q=A',
  '/imgs?facets=country&with_count=true',
  '/imgs/explain?q=title:A',
  '/ops/',
] as const;

describe('while one tenant searches as much as it can', () => {
  it.each(reads)('another one is served: %s', async (path) => {
    keepSearching(500);
    expect((await quiet.rest('GET', path)).status).toBe(200);
    expect(begun).toBeLessThan(500);
  });

  it('no more than one of its searches runs when the other one asks too', async () => {
    await quiet.rest('GET', '/imgs/a');
    await busy.rest('GET', '/imgs/a');
    keepSearching(500);
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toBe(1);
  });

  it('reads of its own by id are served', async () => {
    keepSearching(500);
    expect((await busy.rest('GET', '/imgs/a')).status).toBe(200);
  });

  it('hears at once when it may not even wait', async () => {
    keepSearching(connectionLimits.queuePerTenant + 20);
    asked.forEach((search) => void search.catch(() => {}));
    const { status, body } = await busy.rest('GET', '/imgs?q=A');
    expect([status, body]).toMatchObject([
      429,
      { code: 'rate_limited', detail: 'Too many searches are waiting', hint: expect.stringContaining('fewer') },
    ]);
  });
});

describe('a tenant that is alone', () => {
  it('has all the searches that there are', full, async () => {
    await sleep(activeMs);
    keepSearching(500);
    await expect.poll(() => begun).toBeGreaterThanOrEqual(4);
  });

  it('has a document that asks for twenty lists and their counts answered', async () => {
    const lists = Array.from({ length: 20 }, (_, i) => `a${i}: images(q: "A OR ${i}") { count results { title } }`);
    const { data, errors } = await busy.graphql(`{ ${lists.join(' ')} }`);
    expect([errors, Object.values(data).map((page) => (page as { count: number }).count)]).toEqual([
      undefined,
      Array(20).fill(1),
    ]);
    expect(parallelSearches).toBeLessThan(20);
  });
});
