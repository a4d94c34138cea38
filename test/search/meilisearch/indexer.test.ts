import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { openDatabase, openMeilisearchClient } from '../../../src/backing/index.ts';
import type { Database } from '../../../src/backing/index.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import {
  answerCount,
  answerFacets,
  answerList,
  askForRebuild,
  meilisearchLag,
  isRebuilding,
  openMeilisearch,
  readSearchQuery,
  startIndexer,
} from '../../../src/search/index.ts';
import type { SearchRoute } from '../../../src/search/index.ts';
import { DocumentSender } from '../../../src/search/meilisearch/document-sender.ts';
import { forTenant } from '../../../src/tenants/index.ts';
import { cloneDatabase } from '../../support/database.ts';
import { meili, openTestMeilisearch, skipped, upToDate } from '../../support/meilisearch.ts';
import type { TestMeilisearch } from '../../support/meilisearch.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
let meilisearch: TestMeilisearch;
const logger = createLogger('fatal');

const insert = `INSERT INTO image (tenant_id, image_id, lang, format, byte_size, checksum, width, height, title, country)
  SELECT $1, 'image-' || n, 'en', 'png', 1, '', 100 + n, 100, 'Sunset ' || n, 'es' FROM generate_series($2::int, $3::int) AS n`;

const ask = (q: string) => readSearchQuery(q, { resource: 'image', lang: 'ml', mayVerify: false });

/** A count, and what gave it. */
async function count(tenantId: number, q: string, route: SearchRoute = meilisearch.route) {
  const indexed: string[] = [];
  const report: SearchRoute['report'] = (_part, { backend: by, reason }) => indexed.push(reason ?? by);
  const found = await answerCount(forTenant(database, tenantId), ask(q), {
    meilisearch: route.meilisearch,
    report,
  });
  return [found, ...indexed];
}

async function ids(tenantId: number, q: string, page = 1): Promise<string[]> {
  const options = { page, limit: 3, sortBy: 'width', sortOrder: 'desc', cursor: null, withCursor: false } as const;
  const { results } = await answerList(
    forTenant(database, tenantId),
    ask(q),
    { ...options, properties: ['imageId'] },
    meilisearch.route,
  );
  return results.map((row) => (row as { imageId: string }).imageId);
}

describe.skipIf(meili === null)(`Meilisearch (${meili === null ? skipped : 'Meilisearch'})`, () => {
  beforeAll(async () => {
    clone = await cloneDatabase(inject('postgresUrl'));
    database = openDatabase({ url: clone.url, logger });
    await database.pool.query(`INSERT INTO tenant (id, name) VALUES (1, 'mine'), (2, 'theirs')`);
    await database.pool.query(insert, [1, 1, 1200]);
    await database.pool.query(insert, [2, 1, 5]);
    const opened = await openTestMeilisearch(database);
    if (opened === null) throw new Error('there is no Meilisearch');
    meilisearch = opened;
  });
  afterAll(async () => {
    await meilisearch.close();
    await database.close();
    await clone.drop();
  });

  it('is filled with what was there before, and answers each tenant with its own', async () => {
    expect(await count(1, 'country:es')).toEqual([1200, 'meilisearch']);
    expect(await count(2, 'country:es')).toEqual([5, 'meilisearch']);
    expect(await ids(2, 'sunset')).toEqual(['image-5', 'image-4', 'image-3']);
    const [facet] = await answerFacets(forTenant(database, 2), ask(''), ['country'], 'conjunctive', meilisearch.route);
    expect(facet?.values).toEqual([{ value: 'es', count: 5 }]);
  });

  it('learns of records that are new, change and go', async () => {
    await database.pool.query(insert, [2, 6, 7]);
    await database.pool.query(`UPDATE image SET country = 'fr' WHERE tenant_id = 2 AND image_id = 'image-1'`);
    await database.pool.query(`DELETE FROM image WHERE tenant_id = 2 AND image_id = 'image-2'`);
    await upToDate(database);
    expect(await count(2, 'country:es')).toEqual([5, 'meilisearch']);
    expect(await count(2, 'country:fr')).toEqual([1, 'meilisearch']);
    expect(await ids(2, 'country:es')).toEqual(['image-7', 'image-6', 'image-5']);
  });

  it('is queried for a page before its state is checked, and again if it received changes since', async () => {
    const { known } = meilisearch.route.meilisearch;
    const rest = async () => {
      await ids(2, 'country:es');
      const found = known.get('image');
      if (found !== undefined) known.set('image', { ...found, since: 0 });
    };
    const query = vi.spyOn(database.pool, 'query');
    await rest();
    query.mockClear();
    expect(await ids(2, 'country:es')).toEqual(['image-7', 'image-6', 'image-5']);
    expect(query).toHaveBeenCalledTimes(1);
    expect(await ids(2, 'country:it')).toEqual([]);
    await database.pool.query(`UPDATE image SET country = 'it' WHERE tenant_id = 2 AND image_id = 'image-7'`);
    expect(await ids(2, 'country:es')).toEqual(['image-6', 'image-5', 'image-4']);
    await upToDate(database);
    await rest();
    await database.pool.query(`UPDATE image SET country = 'es' WHERE tenant_id = 2 AND image_id = 'image-7'`);
    await upToDate(database);
    expect(await ids(2, 'country:es')).toEqual(['image-7', 'image-6', 'image-5']);
    query.mockRestore();
  });

  it('is not asked about a tenant whose changes it does not know, and no other tenant notices', async () => {
    await meilisearch.indexer.close();
    await database.pool.query(`UPDATE image SET country = 'pt' WHERE tenant_id = 2 AND image_id = 'image-3'`);
    expect(await count(2, 'country:pt')).toEqual([1, 'behind']);
    expect(await count(1, 'country:pt')).toEqual([0, 'meilisearch']);
    const patient: SearchRoute = {
      ...meilisearch.route,
      meilisearch: openMeilisearch(meilisearch.client, 60_000, logger),
    };
    expect(await count(2, 'country:pt', patient)).toEqual([0, 'meilisearch']);
    const { pending, lagSeconds } = await meilisearchLag(database);
    expect([pending, lagSeconds > 0]).toEqual([1, true]);
    const indexer = startIndexer({ database, client: meilisearch.client, logger });
    await upToDate(database);
    expect(await count(2, 'country:pt')).toEqual([1, 'meilisearch']);
    await indexer.close();
  });

  it('is rebuilt while the former index answers', async () => {
    const uids = async () => (await database.pool.query(`SELECT uid FROM search_index ORDER BY resource`)).rows;
    const before = await uids();
    const indexer = startIndexer({ database, client: meilisearch.client, logger });
    await askForRebuild(database, ['image']);
    while (await isRebuilding(database, ['image'])) expect(await count(1, 'country:es')).toEqual([1200, 'meilisearch']);
    const after = await uids();
    expect(after[0]).not.toEqual(before[0]);
    expect(after[1]).toEqual(before[1]);
    expect(await count(1, 'country:es')).toEqual([1200, 'meilisearch']);
    const isThere = () => meilisearch.client.members[0].writer.getRawIndex(before[0].uid).then(Boolean, () => false);
    await expect.poll(isThere, { timeout: 20_000 }).toBe(false);
    await indexer.close();
  });

  it('is rebuilt by a version with other settings, and not asked until then', async () => {
    await database.pool.query(`UPDATE search_index SET settings = 'former' WHERE resource = 'image'`);
    expect(await count(1, 'country:es')).toEqual([1200, 'filling']);
    const indexer = startIndexer({ database, client: meilisearch.client, logger });
    await upToDate(database);
    expect(await count(1, 'country:es')).toEqual([1200, 'meilisearch']);
    await indexer.close();
  });

  it('that has lost its indexes is rebuilt', async () => {
    const { rows } = await database.pool.query<{ uid: string }>(
      `SELECT uid FROM search_index WHERE resource = 'image'`,
    );
    const { taskUid } = await meilisearch.client.members[0].writer.deleteIndex(rows[0]?.uid ?? '');
    const hasGone = async () => (await meilisearch.client.members[0].writer.tasks.getTask(taskUid)).status;
    await expect.poll(hasGone, { timeout: 20_000 }).toBe('succeeded');
    expect(await count(1, 'country:es')).toEqual([1200, 'unavailable']);
    const indexer = startIndexer({ database, client: meilisearch.client, logger });
    const isKnown = async () =>
      (await database.pool.query(`SELECT FROM search_index WHERE uid = $1`, [rows[0]?.uid])).rowCount;
    await expect.poll(isKnown, { timeout: 20_000 }).toBe(0);
    await upToDate(database);
    const anew: SearchRoute = { ...meilisearch.route, meilisearch: openMeilisearch(meilisearch.client, 0, logger) };
    expect(await count(1, 'country:es', anew)).toEqual([1200, 'meilisearch']);
    await indexer.close();
  });

  it('that is unavailable leaves the answer to PostgreSQL, soon and without being queried each time', async () => {
    let asked = 0;
    const silent = createServer((request) => ((asked += 1), request.socket.destroy()));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const client = openMeilisearchClient({
      urls: [`http://127.0.0.1:${(silent.address() as AddressInfo).port}`],
      key: undefined,
    });
    const away: SearchRoute = { ...meilisearch.route, meilisearch: openMeilisearch(client, 0, logger) };
    for (let round = 0; round < 5; round += 1)
      expect(await count(1, 'country:es', away)).toEqual([1200, 'unavailable']);
    expect(asked).toBe(1);
    client.close();
    silent.close();
  });

  it('gets all documents except those that it refuses, which are found among the others', async () => {
    const [{ writer }] = meilisearch.client.members;
    const [index] = (
      await database.pool.query<{ uid: string }>(`SELECT uid FROM search_index WHERE resource = 'video'`)
    ).rows;
    // An id must be a whole number; Meilisearch refuses the whole message for it.
    const ids = Array.from({ length: 40 }, (_, n) => (n % 17 === 3 ? n + 0.5 : n));
    const lines = ids.map((id) => ({ id, json: JSON.stringify({ id, tenant: 1 }) }));
    const delivered: number[] = [];
    const documentSender = new DocumentSender({
      writer,
      uid: index?.uid ?? '',
      signal: new AbortController().signal,
      window: 6,
      readAgain: async (ids) => lines.filter(({ id }) => ids.includes(id)),
      onDelivered: async (_last, documents) => void delivered.push(documents),
    });
    await documentSender.add(lines);
    expect([...(await documentSender.finish()).keys()]).toEqual([3.5, 20.5, 37.5]);
    expect(delivered).toEqual([40]);
    expect((await writer.index(index?.uid ?? '').getStats()).numberOfDocuments).toBe(37);
  });
});
