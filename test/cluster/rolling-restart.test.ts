import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { finished, send, until } from '../operations/support.ts';
import { createClient } from '../support/world.ts';
import type { Client } from '../support/world.ts';
import { openBalancer } from './balancer.ts';
import type { Balancer } from './balancer.ts';
import { nothings, openCluster } from './support.ts';
import type { Cluster } from './support.ts';
import { full, sizeOf } from '../support/effort.ts';

const drainSeconds = 2;
let cluster: Cluster;
let balancer: Balancer;
let client: Client;

beforeAll(async () => {
  const [apis, workers] = [sizeOf(1, 2), sizeOf(0, 1)];
  cluster = await openCluster({ apis, workers, environment: { DRAIN_SECONDS: String(drainSeconds) } });
  await cluster.picture('p.png');
  balancer = await openBalancer();
  for (const { url } of cluster.apis) balancer.add(url);
  const [first] = (await cluster.clients()) as [Client];
  client = createClient(balancer.url, first.key);
  await vi.waitUntil(() => balancer.ready().length === apis, { timeout: 20_000 });
});
afterAll(async () => {
  await balancer?.close();
  await cluster?.close();
});

/** One user after another; each answer counts. */
async function use(signal: AbortSignal, statuses: Map<number, number>, user: number): Promise<void> {
  const id = `u${user}`;
  const asks = [
    () => client.rest('PUT', `/imgs/${id}?wait=true&upsert=true`, { src_path: 'p.png', title: `of ${user}` }),
    () => client.rest('GET', `/imgs/${id}`),
    () => client.rest('GET', '/imgs?q=of&count=true'),
    () => client.rest('POST', '/graphql', { query: `{ image(id: "${id}") { title } }` }),
    () => client.rest('PATCH', `/imgs/${id}`, { headline: 'later' }),
  ];
  for (let i = 0; !signal.aborted; i += 1) {
    const { status } = (await asks[i % asks.length]?.()) ?? { status: 0 };
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    await sleep(30);
  }
}

describe('behind a load balancer that asks /ready', full, () => {
  it('two API processes are replaced one after the other without a failed request', async () => {
    const statuses = new Map<number, number>();
    const stop = new AbortController();
    const users = [1, 2, 3].map((user) => use(stop.signal, statuses, user));
    await expect.poll(() => statuses.get(200) ?? 0, { timeout: 20_000 }).toBeGreaterThan(20);
    for (const old of cluster.apis) {
      const next = await cluster.startApi();
      balancer.add(next.url);
      await expect.poll(() => balancer.ready(), { timeout: 10_000 }).toContain(next.url);
      old.child.kill('SIGTERM');
      await expect.poll(() => balancer.ready(), { timeout: 2_000 }).not.toContain(old.url);
      expect(await old.ended).toBe(0);
      balancer.remove(old.url);
    }
    const before = statuses.get(200) ?? 0;
    await expect.poll(() => statuses.get(200) ?? 0, { timeout: 20_000 }).toBeGreaterThan(before + 10);
    stop.abort();
    await Promise.all(users);
    expect(balancer.failures).toEqual([]);
    expect([...statuses.keys()].filter((status) => status >= 400)).toEqual([]);
    const { body } = await client.rest('GET', '/ops?limit=1000');
    await Promise.all(body.map(({ operation_id: id }: { operation_id: number }) => finished(client, id)));
  });

  it('a worker is replaced in the middle of a write, which is finished by the next one', async () => {
    const [old] = cluster.workers;
    const id = await send(client, 'DELETE', '/imgs', nothings(8_000));
    await until(client, id, { is_started: true });
    await cluster.startWorker();
    old?.child.kill('SIGTERM');
    expect(await old?.ended).toBe(0);
    expect(await finished(client, id)).toMatchObject({ num_total: 8_000, num_bad: 8_000, is_aborted: false });
  }, 120_000);
});

describe('a process that is asked to end', () => {
  it('says so at /ready, goes on answering with the end of each connection, then refuses', full, async () => {
    const { url, child, ended } = await cluster.startApi();
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    const asked = Date.now();
    child.kill('SIGTERM');
    await expect.poll(async () => (await fetch(`${url}/ready`)).status, { timeout: 1_000 }).toBe(503);
    const reported = await fetch(`${url}/ready`);
    expect([reported.headers.get('retry-after'), await reported.json()]).toEqual(['5', { status: 'draining' }]);
    const answer = await fetch(`${url}/imgs`, { headers: { 'API-Key': client.key } });
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(await ended).toBe(0);
    expect(Date.now() - asked).toBeGreaterThan(drainSeconds * 1000 - 50);
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
  });

  it('by someone who sits in front of it does not wait for balancers', full, async () => {
    const { url, child, ended } = await cluster.startApi({ DRAIN_SECONDS: '300' });
    expect((await fetch(`${url}/health`)).status).toBe(200);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });
});
