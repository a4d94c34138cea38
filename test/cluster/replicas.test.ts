import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { full } from '../support/effort.ts';
import { startReplicated } from '../support/replicated.ts';
import type { Replicated } from '../support/replicated.ts';
import type { Client } from '../support/world.ts';
import { openCluster } from './support.ts';
import type { Cluster } from './support.ts';

const operator = 'a-key-of-the-operator-0001';

describe('two API processes and a worker on a primary with a replica', full, () => {
  let servers: Replicated;
  let cluster: Cluster;
  let first: Client;
  let second: Client;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-replicated-'));
    chmodSync(folder, 0o755);
    servers = await startReplicated(folder);
    const server = { url: servers.url, drop: () => servers.close() };
    cluster = await openCluster({ workers: 1, environment: { DATABASE_READ_URLS: servers.replicaUrl }, server });
    [first, second] = (await cluster.clients()) as [Client, Client];
    await cluster.picture('p.png');
  }, 180_000);
  afterAll(async () => {
    await (cluster?.close() ?? servers?.close());
  });

  /** What a process says of its replica: whether it is ready, and the reads that a server answered. */
  async function figure(url: string, what: 'ready' | 'replica' | 'primary'): Promise<number> {
    const answer = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${operator}` } });
    const name = what === 'ready' ? 'replica_ready{' : `replica_reads_total{server="${what}"`;
    const line = (await answer.text()).split('\n').find((each) => each.startsWith(`vitrine_${name}`));
    return Number(line?.split(' ').at(-1));
  }

  /** Writes through one process, and makes sure that the other finds it at once in each way of reading. */
  async function writeAndFind(round: number): Promise<void> {
    const [writer, reader] = round % 2 === 0 ? [first, second] : [second, first];
    const city = `Town${round}`;
    const record = { id: 'a', src_path: 'p.png', title: `title${round}`, city };
    const written = await writer.write('PUT', '/imgs?upsert=true', [record]);
    expect(written).toMatchObject({ num_good: 1, is_finished: true });
    const [byId, list, facets] = await Promise.all([
      reader.rest('GET', '/imgs/a'),
      reader.rest('GET', `/imgs?q=title${round}`),
      reader.graphql(`{ images(q: "city:${city}") { count facets(fields: [city]) { values { value count } } } }`),
    ]);
    expect(byId.body).toMatchObject({ title: `title${round}` });
    expect(list.body.results).toHaveLength(1);
    expect(facets.data?.images).toEqual({ count: 1, facets: [{ values: [{ value: city, count: 1 }] }] });
  }

  it('find through one what was written through the other, on the replica', async () => {
    for (const { url } of cluster.apis) await expect.poll(() => figure(url, 'ready'), { timeout: 20_000 }).toBe(1);
    for (let round = 0; round < 12; round += 1) await writeAndFind(round);
    const reads = await Promise.all(cluster.apis.map(({ url }) => figure(url, 'replica')));
    for (const each of reads) expect(each).toBeGreaterThan(0);
  });

  it('go on finding it while the replica is killed and comes back', async () => {
    servers.killReplica();
    for (let round = 20; round < 26; round += 1) await writeAndFind(round);
    await servers.startReplica();
    for (let round = 30; round < 36; round += 1) await writeAndFind(round);
    for (const { url } of cluster.apis) await expect.poll(() => figure(url, 'ready'), { timeout: 40_000 }).toBe(1);
    await writeAndFind(40);
  });
});
