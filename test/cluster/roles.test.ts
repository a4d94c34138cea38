import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../../chaos/redis.ts';
import type { RedisServer } from '../../chaos/redis.ts';
import { parseEvents } from '../live/support.ts';
import { finished, holdSource, send, until } from '../operations/support.ts';
import { noRedis, redisNote } from '../support/redis.ts';
import type { Client } from '../support/world.ts';
import { nothings, openCluster } from './support.ts';
import type { Cluster } from './support.ts';
import { full } from '../support/effort.ts';

describe('two API processes and two workers on one database', () => {
  describeCluster(null);
});

describe.skipIf(noRedis)(`two API processes and two workers on one database and Redis${redisNote}`, full, () => {
  describeCluster(startRedis);
});

function describeCluster(openRedis: (() => Promise<RedisServer>) | null): void {
  let redis: RedisServer | undefined;
  let cluster: Cluster;
  let first: Client;
  let second: Client;

  beforeAll(async () => {
    redis = await openRedis?.();
    cluster = await openCluster({ environment: { REDIS_URL: redis?.url ?? '' } });
    await cluster.picture('p.png');
  });
  afterAll(async () => {
    await cluster?.close();
    await redis?.kill();
  });
  const newClients = async () => {
    [first, second] = (await cluster.clients()) as [Client, Client];
  };

  it('say that they are ready, and workers take no requests', async () => {
    for (const { url } of cluster.apis) {
      const answer = await fetch(`${url}/ready`);
      const body = { status: 'ready', postgres: 'ok', notifications: 'ok', ...(redis && { redis: 'ok' }) };
      expect([answer.status, await answer.json()]).toEqual([200, body]);
    }
    for (const { output } of cluster.workers) expect(output()).toContain('worker, no address');
  });

  it('apply what one accepted, end the wait there, and the other one shows it at once', async () => {
    await newClients();
    const record = await first.write('POST', '/imgs', [{ id: 'a', src_path: 'p.png', title: 'one' }]);
    expect(record).toMatchObject({ num_good: 1, is_finished: true });
    expect((await second.rest('GET', '/imgs/a')).body).toMatchObject({ title: 'one', width: 40 });
    await second.write('PATCH', '/imgs', [{ id: 'a', title: 'two' }]);
    expect((await first.rest('GET', '/imgs/a')).body.title).toBe('two');
    expect((await first.rest('GET', '/imgs?q=two')).body.results).toHaveLength(1);
  });

  it('send the events of an operation from either process, in the same order', async () => {
    await newClients();
    const id = await send(first, 'DELETE', '/imgs', nothings(900));
    const reported = await Promise.all([first, second].map((client) => client.rest('GET', `/ops/${id}/events`)));
    const [here = [], there = []] = reported.map(({ body }) => parseEvents(body));
    expect([here.at(0)?.event, here.at(-1)?.event]).toEqual(['queued', 'finished']);
    expect(there.at(-1)).toEqual(here.at(-1));
    for (const events of [here, there]) {
      const sequences = events.map(({ data }) => data.sequence);
      expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    }
  });

  it('stop an operation that was accepted by one, runs in a worker, and is aborted by the other', async () => {
    await newClients();
    const held = await holdSource();
    const id = await send(first, 'POST', '/imgs', [{ id: 'held', src: held.url }]);
    await held.asked;
    const waiting = await send(first, 'POST', '/imgs', [{ id: 'later', src_path: 'p.png' }]);
    await until(first, id, { is_started: true });
    expect((await second.rest('DELETE', `/ops/${id}`)).status).toBe(200);
    expect(await finished(first, id)).toMatchObject({ is_aborted: true, num_good: 0 });
    expect(await finished(second, waiting)).toMatchObject({ is_aborted: false, num_good: 1 });
    await held.close();
  });

  it('apply a write once that is sent to both with one idempotency key', async () => {
    await newClients();
    const headers = { 'Idempotency-Key': 'once' };
    const element = [{ id: 'once', src_path: 'p.png' }];
    const answers = await Promise.all([first, second].map((each) => each.rest('POST', '/imgs', element, headers)));
    const ids = new Set(answers.map(({ status, body }) => `${status} ${body.operation_id}`));
    expect(ids.size).toBe(1);
    expect(await finished(second, answers[0]?.body.operation_id)).toMatchObject({ num_good: 1, num_bad: 0 });
    expect((await first.rest('GET', '/ops')).body).toHaveLength(1);
  });

  it('refuse a key everywhere within a second of its revocation, and end its streams', async () => {
    const tenant = 'revoking';
    const [admin] = (await cluster.clients({ of: tenant })) as [Client];
    const [, viewer] = (await cluster.clients({ of: tenant, role: 'viewer' })) as [Client, Client];
    const held = await holdSource();
    const id = await send(admin, 'POST', '/imgs', [{ id: 'held', src: held.url }]);
    const stream = viewer.rest('GET', `/ops/${id}/events`);
    expect((await viewer.rest('GET', '/me')).status).toBe(200);
    const { data } = await admin.graphql('{ apiKeys { results { id name } } }');
    const key = data.apiKeys.results.find(({ name }: { name: string }) => name === `viewer of ${tenant}`);
    await admin.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: key.id });
    await expect.poll(async () => (await viewer.rest('GET', '/me')).status, { timeout: 1_000 }).toBe(401);
    expect(parseEvents((await stream).body).map(({ event }) => event)).not.toContain('finished');
    await held.close();
    await finished(admin, id);
  });

  it('count the requests of a key together', async () => {
    const tenant = 'limited';
    const [here, there] = (await cluster.clients({ of: tenant })) as [Client, Client];
    await cluster.database.pool.query("UPDATE tenant SET rate_read = '5/h' WHERE name = $1", [tenant]);
    const statuses: number[] = [];
    for (let i = 0; i < 7; i += 1) statuses.push((await (i % 2 === 0 ? here : there).rest('GET', '/imgs')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });

  it('go on with what a worker leaves that is asked to end, which ends within seconds', full, async () => {
    await newClients();
    const extra = await cluster.startWorker();
    const ids: number[] = [];
    for (let i = 0; i < 4; i += 1) ids.push(await send(first, 'DELETE', '/imgs', nothings(1_000)));
    extra.child.kill('SIGTERM');
    expect(await extra.ended).toBe(0);
    for (const id of ids) expect(await finished(second, id)).toMatchObject({ num_bad: 1_000, num_total: 1_000 });
  });

  if (openRedis !== null) describeLosses(() => ({ cluster, redis: redis as RedisServer }));
}

/** What only Redis can do to a cluster. */
function describeLosses(parts: () => { cluster: Cluster; redis: RedisServer }): void {
  const sendMany = async (client: Client, count: number): Promise<number[]> => {
    const ids: number[] = [];
    for (let i = 0; i < count; i += 1) ids.push(await send(client, 'DELETE', '/imgs', nothings(600)));
    return ids;
  };

  it('lose nothing when Redis is emptied while they work', async () => {
    const { cluster, redis } = parts();
    const clients = await Promise.all([1, 2, 3, 4].map(() => cluster.clients()));
    const sending = Promise.all(clients.map(([client]) => sendMany(client as Client, 6)));
    for (let i = 0; i < 12; i += 1) {
      await redis.command('FLUSHALL');
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    for (const [i, ids] of (await sending).entries()) {
      for (const id of ids)
        expect(await finished(clients[i]?.[1] as Client, id, 40_000)).toMatchObject({ num_bad: 600 });
    }
  });

  it('lose nothing when Redis dies and comes back empty while they work', async () => {
    const { cluster, redis } = parts();
    const [first, second] = (await cluster.clients()) as [Client, Client];
    const before = await sendMany(first, 4);
    await redis.kill();
    const meanwhile = await sendMany(second, 2);
    await redis.start();
    const after = await sendMany(first, 2);
    for (const id of [...before, ...meanwhile, ...after]) {
      expect(await finished(second, id, 40_000)).toMatchObject({ num_bad: 600 });
    }
  });

  it('accept and apply while Redis stands still', async () => {
    const { cluster, redis } = parts();
    const [first] = (await cluster.clients()) as [Client];
    redis.pause();
    const record = await first.write('POST', '/imgs', [{ id: 'still', src_path: 'p.png' }]);
    expect(record).toMatchObject({ num_good: 1, is_finished: true });
    redis.resume();
  });

  it('end within seconds while Redis is unreachable', async () => {
    const { cluster, redis } = parts();
    const [api, worker] = await Promise.all([cluster.startApi(), cluster.startWorker()]);
    await redis.kill();
    const began = Date.now();
    for (const { child } of [api, worker]) child.kill('SIGTERM');
    expect(await Promise.all([api.ended, worker.ended])).toEqual([0, 0]);
    expect(Date.now() - began).toBeLessThan(15_000);
    await redis.start();
  });

  it('go through a long operation while Redis is unreachable without a pause between leases', async () => {
    const { cluster, redis } = parts();
    const [first] = (await cluster.clients()) as [Client];
    await redis.kill();
    const ids = [1, 2, 3].map(() => send(first, 'DELETE', '/imgs', nothings(10_000)));
    for (const id of await Promise.all(ids)) {
      expect(await finished(first, id, 40_000)).toMatchObject({ num_bad: 10_000 });
    }
    await redis.start();
  });

  it('accept and apply while Redis is unreachable, say so at /ready, and use it again when it is back', async () => {
    const { cluster, redis } = parts();
    const [first, second] = (await cluster.clients()) as [Client, Client];
    await redis.kill();
    const record = await first.write('POST', '/imgs', [{ id: 'away', src_path: 'p.png' }]);
    expect(record).toMatchObject({ num_good: 1, is_finished: true });
    const readyOf = async () => {
      const answer = await fetch(`${cluster.apis[1]?.url}/ready`);
      return [answer.status, ((await answer.json()) as { redis: string }).redis];
    };
    expect(await readyOf()).toEqual([200, 'unreachable']);
    await redis.start();
    await expect.poll(readyOf, { timeout: 15_000 }).toEqual([200, 'ok']);
    await second.write('DELETE', '/imgs/away');
    expect(await redis.command('DBSIZE')).toBeGreaterThan(0);
  });
}
