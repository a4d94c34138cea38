import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/observability/logger.ts';
import { createHandler } from '../../src/app/server.ts';
import { openAccess, setTenant } from '../../src/tenants/index.ts';
import { createClient, openWorld } from '../support/world.ts';
import type { Answer, Client, World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld({ worker: false });
});
afterAll(() => world.close());

/** A client of a tenant with these settings, for which every process has taken them over. */
async function clientWith(...settings: string[]): Promise<Client & { tenant: string }> {
  const client = await world.client();
  const { tenant } = (await client.rest('GET', '/me')).body;
  await setTenant(world.backing.database, tenant, settings);
  await expect
    .poll(async () => (await client.rest('GET', '/me')).body.limits.tag, { timeout: 10_000, interval: 10 })
    .toEqual({ requests: 7, seconds: 86_400 });
  return { ...client, tenant };
}
/** Shows in /me that the settings have arrived. */
const mark = 'rate_tag=7/day';

const headers = ({ headers: all }: Answer) =>
  ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => all.get(name));

describe('without a limit', () => {
  it('requests carry no headers of one and the table of windows stays empty', async () => {
    const client = await world.client();
    expect(headers(await client.rest('GET', '/imgs'))).toEqual([null, null, null]);
    expect((await client.rest('GET', '/me')).body.limits).toMatchObject({ read: null, write: null });
    expect((await world.backing.database.pool.query('SELECT FROM rate_window')).rowCount).toBe(0);
  });
});

describe('with a limit', () => {
  it('a key has a limit of requests, learns how many are left, and is then refused with 429', async () => {
    const client = await clientWith('rate_write=2/h', mark);
    const ask = () => client.rest('DELETE', '/imgs/x');
    const [first, second, third] = [await ask(), await ask(), await ask()];
    expect([first.status, second.status, third.status]).toEqual([202, 202, 429]);
    expect(headers(first)).toEqual(['"write";q=2;w=3600', expect.stringMatching(/^"write";r=1;t=3(600|59\d)$/), null]);
    expect(headers(second)[1]).toMatch(/^"write";r=0;t=/);
    expect(third.body).toEqual({ detail: "More than 2 requests of class 'write' in 3600 s", code: 'rate_limited' });
    expect(headers(third)).toEqual([
      '"write";q=2;w=3600',
      expect.stringMatching(/^"write";r=0;t=3(600|59\d)$/),
      expect.stringMatching(/^3(600|59\d)$/),
    ]);
    const { body } = await client.rest('GET', '/me');
    expect(body.limits.write).toEqual({ requests: 2, seconds: 3600 });
    expect((await client.rest('GET', '/ops')).headers.get('x-total-count')).toBe('2');
  });

  it('answers of any status carry the headers', async () => {
    const client = await clientWith('rate_read=1000/h', mark);
    for (const [path, status] of [
      ['/imgs/none', 404],
      ['/ops/1', 404],
      ['/imgs', 200],
    ] as const) {
      const answer = await client.rest('GET', path);
      expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([status, '"read";q=1000;w=3600']);
    }
  });

  it('GraphQL is refused with a code, each field of a document counts, and what was within the limit is done', async () => {
    const client = await clientWith('rate_write=3/h', mark);
    const four = ['a', 'b', 'c', 'd'].map((name) => `${name}: deleteImages(ids: ["x"]) { __typename }`);
    const { body, headers: all } = await client.rest('POST', '/graphql', { query: `mutation { ${four.join(' ')} }` });
    expect(body.errors).toMatchObject([
      { path: ['d'], extensions: { code: 'rate_limited', class: 'write', retryAfter: expect.any(Number) } },
    ]);
    expect(all.get('retry-after')).toBe(String(body.errors[0].extensions.retryAfter));
    expect((await client.graphql('{ operations { count } }')).data).toEqual({ operations: { count: 3 } });
  });

  it('a document that is refused several times says once when to retry', async () => {
    const client = await clientWith('rate_read=1/h', mark);
    const { headers: all } = await client.rest('POST', '/graphql', {
      query: '{ a: images { count } b: images { count } c: images { count } }',
    });
    expect(all.get('retry-after')).toMatch(/^\d+$/);
  });

  it('holds for each key and class apart', async () => {
    const client = await clientWith('rate_write=1/h', mark);
    const other = await world.client({ tenant: client.tenant });
    const statuses = async (each: Client) => (await each.rest('DELETE', '/imgs/x')).status;
    expect([await statuses(client), await statuses(client), await statuses(other)]).toEqual([202, 429, 202]);
    expect((await client.rest('GET', '/imgs')).status).toBe(200);
  });

  it('lets go on when the window is over', async () => {
    const client = await clientWith('rate_write=1/s', mark);
    await expect.poll(async () => (await client.rest('DELETE', '/imgs/x')).status, { interval: 1 }).toBe(429);
    await expect
      .poll(async () => (await client.rest('DELETE', '/imgs/x')).status, { timeout: 2000, interval: 50 })
      .toBe(202);
  });

  it('is exact over two processes that are asked at the same time', async () => {
    const client = await clientWith('rate_write=25/h', mark);
    const { database, notifications, queue } = world.backing;
    const logger = createLogger('silent');
    const access = openAccess(world.backing, { rates: {} }, logger);
    const server = createServer(createHandler({ database, notifications, queue, logger, access }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const twin = createClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, client.key);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? client : twin).rest('DELETE', '/imgs/x')),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(25);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await access.close();
  });

  it('of the environment holds where the tenant sets none, and a tenant can be without', async () => {
    const { database, notifications, queue } = world.backing;
    const logger = createLogger('silent');
    const access = openAccess(world.backing, { rates: { read: { requests: 1, seconds: 3600 } } }, logger);
    const server = createServer(createHandler({ database, notifications, queue, logger, access }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ordinary = createClient(url, (await world.client()).key);
    const free = createClient(url, (await clientWith('rate_read=off', mark)).key);
    expect([(await ordinary.rest('GET', '/imgs')).status, (await ordinary.rest('GET', '/imgs')).status]).toEqual([
      200, 429,
    ]);
    expect([(await free.rest('GET', '/imgs')).status, (await free.rest('GET', '/imgs')).status]).toEqual([200, 200]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await access.close();
  });
});
