import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openMeilisearchClient } from '../../src/backing/index.ts';
import { meilisearchLag } from '../../src/search/index.ts';
import { readDocumentsAfter } from '../../src/search/meilisearch/documents.ts';
import { finished, send } from '../operations/support.ts';
import { meili, skipped, upToDate } from '../support/meilisearch.ts';
import type { Client } from '../support/world.ts';
import { kill } from '../support/worker-process.ts';
import { openCluster } from './support.ts';
import type { Cluster } from './support.ts';
import { full } from '../support/effort.ts';

let cluster: Cluster;
afterEach(() => cluster.close());

const rows = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await cluster.database.pool.query(text, values)).rows as Row[];

/** Polls a number in the database until it is above zero; often, to be early. */
async function whenSome(text: string): Promise<void> {
  const look = async () => expect((await rows<{ n: number }>(text))[0]?.n).toBeGreaterThan(0);
  await vi.waitFor(look, { timeout: 150_000, interval: 5 });
}

it('a worker that is killed while it analyses loses no picture, and none is counted twice', full, async () => {
  cluster = await openCluster({ apis: 1, workers: 1, environment: { AI_ANALYSIS: 'on' } });
  await cluster.picture('p.png');
  const [client] = (await cluster.clients()) as [Client];
  const elements = Array.from({ length: 20 }, (_, i) => ({ id: `e${i}`, src_path: 'p.png' }));
  const id = await send(client, 'POST', '/imgs', elements);
  await whenSome(`SELECT num_analyzed AS n FROM operation WHERE id = ${id}`);
  const [first] = cluster.workers;
  if (first === undefined) throw new Error('there is a worker');
  await kill(first);
  const [left] = await rows<{ n: number }>(`SELECT num_analyzed AS n FROM operation WHERE id = ${id}`);
  expect(left?.n).toBeLessThan(20);
  await Promise.all([cluster.startWorker(), cluster.startWorker()]);
  const record = await finished(client, id, 200_000);
  expect(record).toMatchObject({ num_total: 20, num_good: 20, num_bad: 0, analysis_errors: [] });
  expect(record.stages[1]).toMatchObject({ num_total: 20, num_good: 20, num_bad: 0, is_finished: true });
  const analyzed = `SELECT count(*)::int AS n FROM image_analysis JOIN image USING (row_id) WHERE ai_status = 'ready'`;
  expect(await rows(analyzed)).toEqual([{ n: 20 }]);
  expect(await rows('SELECT FROM operation_analysis')).toEqual([]);
});

describe.skipIf(meili === null)(
  `a worker that fills Meilisearch (${meili === null ? skipped : 'there is one'})`,
  () => {
    const insert = `
    INSERT INTO image (tenant_id, image_id, lang, format, byte_size, checksum, width, height, title, country)
    SELECT $1, 'image-' || n, 'en', 'png', 1, '', 100 + n, 100, 'Sunset ' || n, 'es' FROM generate_series(1, 700) AS n`;
    let between: EngineProxy;
    beforeEach(async () => {
      if (meili !== null) between = await openProxy(meili.urls[0]);
    });
    afterEach(() => between.close());

    /** Starts a worker and kills it when Meilisearch has such a request and the worker has no answer yet. */
    async function killAt(request: RegExp): Promise<void> {
      const seen = between.next(request);
      const worker = await cluster.startWorker();
      await seen;
      await kill(worker);
      between.open();
      // Nobody has the lease of a worker that is dead; it would run out in twenty seconds.
      await rows('UPDATE search_index SET lease_expires_at = now()');
    }

    /** The documents of images in Meilisearch, and those it would have if all were sent now; by id. */
    async function bothCopies(): Promise<Record<'sent' | 'true', Map<number, object>>> {
      const client = openMeilisearchClient(meili ?? { urls: ['http://127.0.0.1:9'], key: undefined });
      const [index] = await rows<{ uid: string }>(`SELECT uid FROM search_index WHERE resource = 'image'`);
      const { results, total } = await client.members[0].writer.index(index?.uid ?? '').getDocuments({ limit: 2000 });
      expect(results).toHaveLength(total);
      const now = await readDocumentsAfter(cluster.database, 'image', 0, 2000);
      // Those too that were being made when their worker died, and that nobody knows.
      for (const uid of between.indexes) await client.members[0].writer.deleteIndex(uid);
      client.close();
      const reported = results.map((document): [number, object] => [Number(document['id']), document]);
      const asItIs = now.map(({ id, json }): [number, object] => [id, JSON.parse(json) as object]);
      return { sent: new Map(reported), true: new Map(asItIs) };
    }

    it('is killed at any point: Meilisearch ends with the contents of the database', async () => {
      const environment = { MEILI_URL: between.url, ...(meili?.key !== undefined && { MEILI_KEY: meili.key }) };
      cluster = await openCluster({ apis: 1, workers: 0, environment });
      const [client] = (await cluster.clients()) as [Client];
      const { id: tenant } = await cluster.database.prisma.tenant.findUniqueOrThrow({ where: { name: 'tenant-1' } });
      await rows(insert, [tenant]);
      // While an index is made, while it is filled with what was there before.
      await killAt(/^PATCH \S+\/settings/);
      await killAt(/^POST \S+\/documents(\?|$)/);
      await rows(`UPDATE image SET country = 'fr' WHERE width % 3 = 0`);
      await rows(`DELETE FROM image WHERE width % 7 = 0`);
      expect((await meilisearchLag(cluster.database)).indexes.some(({ isReady }) => isReady)).toBe(false);
      const answer = await client.rest('GET', '/imgs?q=country:fr&count=true&limit=1');
      expect(answer.headers.get('search-backend')).toContain('count=postgresql;reason=filling');
      // While changes are sent, and while records are removed.
      await killAt(/^POST \S+\/documents\/delete-batch/);
      await rows(
        `UPDATE image SET title = 'Dawn ' || width, country = CASE WHEN width % 5 = 0 THEN 'pt' ELSE country END`,
      );
      await killAt(/^POST \S+\/documents(\?|$)/);
      await rows(`DELETE FROM image WHERE width % 11 = 0`);

      await Promise.all([cluster.startWorker(), cluster.startWorker()]);
      await upToDate(cluster.database);
      const found = await client.rest('GET', '/imgs?q=country:pt+dawn&count=true&limit=1');
      expect(found.headers.get('search-backend')).toContain('count=meilisearch');
      const [counted] = await rows<{ n: number }>(`SELECT count(*)::int AS n FROM image WHERE country = 'pt'`);
      expect(found.body.count).toBe(counted?.n);
      const copies = await bothCopies();
      expect(copies.true.size).toBeGreaterThan(400);
      expect(copies.sent).toEqual(copies.true);
    }, 240_000);
  },
);

/** A proxy between the service and Meilisearch: forwards everything until a request that a test waits for. */
type EngineProxy = Readonly<{
  url: string;
  /** That were made through it. */
  indexes: ReadonlySet<string>;
  /** Resolves when Meilisearch has received such a request; its answer and all later ones are held back. */
  next(request: RegExp): Promise<void>;
  open(): void;
  close(): Promise<void>;
}>;

async function openProxy(target: string): Promise<EngineProxy> {
  let wanted: Readonly<{ request: RegExp; seen: () => void }> | null = null;
  let isShut = false;
  const indexes = new Set<string>();
  const server = createServer((incoming, outgoing) => {
    if (isShut) return;
    const { method, url = '', headers } = incoming;
    const made = method === 'PATCH' && /^\/indexes\/([^/]+)\/settings/.exec(url);
    if (made) indexes.add(made[1] ?? '');
    const isWanted = wanted?.request.test(`${method} ${url}`) ?? false;
    if (isWanted) isShut = true;
    const onward = request(new URL(url, target), { method, headers }, (answer) => {
      if (isWanted) return void wanted?.seen();
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    indexes,
    next: (pattern) => new Promise((seen) => (wanted = { request: pattern, seen })),
    open() {
      wanted = null;
      isShut = false;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
