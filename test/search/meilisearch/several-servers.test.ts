import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { serverKey, startMeilisearchServers } from '../../../bench/meilisearch/servers.ts';
import type { MeilisearchServers } from '../../../bench/meilisearch/servers.ts';
import { openDatabase, openMeilisearchClient } from '../../../src/backing/index.ts';
import type { Database, MeilisearchClient } from '../../../src/backing/index.ts';
import { findMeilisearch } from '../../../src/doctor/meilisearch.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import {
  answerCount,
  answerFacets,
  answerList,
  countFacets,
  openMeilisearch,
  readSearchQuery,
  startIndexer,
} from '../../../src/search/index.ts';
import type { Indexer, SearchRoute } from '../../../src/search/index.ts';
import { forTenant } from '../../../src/tenants/index.ts';
import { cloneDatabase } from '../../support/database.ts';
import { noServers, upToDate } from '../../support/meilisearch.ts';

const logger = createLogger('fatal');
const size = 2400;

/** Ratios of 17 digits that many records share, and more keywords than Meilisearch lists. */
const insert = `
  INSERT INTO image (tenant_id, image_id, lang, format, byte_size, checksum, width, height, title, caption, country, keywords)
  SELECT 1, 'image-' || n, 'en', 'png', 1, '', 100 * (1 + n % 7), 300, CASE WHEN n % 4 = 1 THEN 'Sea' ELSE 'Sunset ' || n END,
    CASE WHEN n % 4 < 2 THEN 'A sunset at sea' END, (ARRAY['es', 'fr', 'pt'])[1 + n % 3],
    ARRAY['common-' || n % 110, 'common-' || (n + 55) % 110, 'rare-' || 3 * n, 'rare-' || 3 * n + 1, 'rare-' || 3 * n + 2]
  FROM generate_series($1::int, $2::int) AS n`;

const ask = (q: string) => readSearchQuery(q, { resource: 'image', lang: 'ml', mayVerify: false });

describe.skipIf(noServers)(`several Meilisearch servers (${noServers || 'with servers'})`, () => {
  let clone: Awaited<ReturnType<typeof cloneDatabase>>;
  let database: Database;
  let started: MeilisearchServers;
  /** By the addresses of a process. */
  const clients: MeilisearchClient[] = [];
  let client: MeilisearchClient;
  let indexer: Indexer;
  let route: SearchRoute;
  const answeredBy: string[] = [];

  const open = (...numbers: number[]) => {
    const [first = '', ...others] = numbers.map((number) => started.urls[number] ?? '');
    const opened = openMeilisearchClient({ urls: [first, ...others], key: serverKey });
    clients.push(opened);
    return opened;
  };
  const routeOf = (own: MeilisearchClient): SearchRoute => ({
    meilisearch: openMeilisearch(own, 0, logger),
    report: (_part, { backend, reason }) => void answeredBy.push(reason ?? backend),
  });
  /** The processes start again with other addresses. */
  const use = (...numbers: number[]) => {
    client = open(...numbers);
    route = routeOf(client);
    indexer = startIndexer({ database, client, logger });
  };

  async function count(q: string, by = route): Promise<[number, string | undefined]> {
    const found = await answerCount(forTenant(database, 1), ask(q), by);
    return [found, answeredBy.at(-1)];
  }

  async function list(
    q: string,
    sortBy: string,
    page: number,
    by: SearchRoute | undefined = route,
  ): Promise<unknown[]> {
    const sortOrder = sortBy === '' ? 'desc' : 'asc';
    const options = { page, limit: 40, sortBy, sortOrder, cursor: null, withCursor: false } as const;
    const { results } = await answerList(forTenant(database, 1), ask(q), { ...options, properties: ['imageId'] }, by);
    return results.map((row) => (row as { imageId: string }).imageId);
  }

  /** The documents of images on each server, as the state of the index names it; sorted. */
  async function held(): Promise<number[][]> {
    const { rows } = await database.pool.query<{ uid: string }>(
      `SELECT uid FROM search_index WHERE resource = 'image'`,
    );
    return Promise.all(
      started.urls.map(async (url) => {
        const one = openMeilisearchClient({ urls: [url], key: serverKey });
        const { results } = await one.members[0].writer
          .index(rows[0]?.uid ?? '')
          .getDocuments<{ id: number }>({ limit: 10_000, fields: ['id'] })
          .catch(() => ({ results: [] }));
        one.close();
        return results.map(({ id }) => Number(id)).toSorted((a, b) => a - b);
      }),
    );
  }

  async function expectEachOnce(): Promise<number[][]> {
    const parts = await held();
    const { rows } = await database.pool.query<{ id: number }>('SELECT row_id AS id FROM image ORDER BY row_id');
    expect(parts.flat().toSorted((a, b) => a - b)).toEqual(rows.map(({ id }) => Number(id)));
    return parts;
  }

  /** Queries until everything is moved: each answer must be right. */
  async function askMeanwhile(done: Promise<void>): Promise<Set<string>> {
    const seen = new Set<string>();
    let isDone = false;
    const ended = done.then(() => (isDone = true));
    const expected = await list('sunset country:es', 'width', 2, undefined);
    while (!isDone) {
      const [found, by = ''] = await count('sunset country:es');
      expect(found).toBe(size / 3);
      expect(await list('sunset country:es', 'width', 2)).toEqual(expected);
      seen.add(by);
      await sleep(1);
    }
    await ended;
    return seen;
  }

  beforeAll(async () => {
    clone = await cloneDatabase(inject('postgresUrl'));
    database = openDatabase({ url: clone.url, logger });
    await database.pool.query(`INSERT INTO tenant (id, name) VALUES (1, 'mine')`);
    await database.pool.query(insert, [1, size]);
    started = await startMeilisearchServers(4);
    use(0, 1, 2);
    await upToDate(database);
  });
  afterAll(async () => {
    await indexer.close();
    for (const each of clients) each.close();
    await started.close();
    await database.close();
    await clone.drop();
  });

  it('share the records, and answer counts, facets and pages as PostgreSQL does', async () => {
    const parts = await expectEachOnce();
    for (const part of parts.slice(0, 3)) expect(Math.abs(part.length - size / 3)).toBeLessThan(size / 15);
    expect(await count('country:es')).toEqual([size / 3, 'meilisearch']);
    const db = forTenant(database, 1);
    for (const q of ['', 'country:es', 'width:300..']) {
      const names = ['country', 'keywords'];
      expect(await answerFacets(db, ask(q), names, 'conjunctive', route)).toEqual(
        await countFacets(db, ask(q), names, 'conjunctive'),
      );
      // Of so many keywords the most frequent ones are certain only if each server has some records of each.
      expect(answeredBy.slice(-2)).toEqual(['meilisearch', q === '' ? 'meilisearch' : expect.any(String)]);
    }
    for (const sortBy of ['aspect_ratio', 'width', 'date']) {
      for (const page of [1, 2, 7]) {
        const expected = await list('sunset country:es', sortBy, page, undefined);
        expect(await list('sunset country:es', sortBy, page)).toEqual(expected);
        expect(answeredBy.at(-1)).toBe('meilisearch');
      }
    }
  });

  it('leave pages to PostgreSQL for which each would have to send very many records', async () => {
    expect(await list('sunset', 'width', 126)).toEqual([]);
    expect(answeredBy.at(-1)).toBe('order');
  });

  it('learn of records that are new, change and go', async () => {
    await database.pool.query(insert, [size + 1, size + 30]);
    await database.pool.query(`UPDATE image SET country = 'it' WHERE image_id LIKE 'image-1_'`);
    await database.pool.query(`DELETE FROM image WHERE substr(image_id, 7)::int > $1`, [size]);
    await upToDate(database);
    expect(await count('country:it')).toEqual([10, 'meilisearch']);
    expect(await count('sunset')).toEqual([size, 'meilisearch']);
    await expectEachOnce();
    await database.pool.query(`UPDATE image SET country = (ARRAY['es', 'fr', 'pt'])[1 + substr(image_id, 7)::int % 3]`);
    await upToDate(database);
    expect(await count('sunset country:es')).toEqual([size / 3, 'meilisearch']);
  });

  it('leave the answer to PostgreSQL while one of them is down', async () => {
    await started.servers[1]?.kill();
    const down = routeOf(client);
    expect(await count('country:fr', down)).toEqual([size / 3, 'unavailable']);
    expect(await list('country:fr', 'width', 1, down)).toEqual(await list('country:fr', 'width', 1, undefined));
    await started.servers[1]?.start();
    await expect.poll(async () => (await count('country:fr'))[1], { timeout: 20_000 }).toBe('meilisearch');
    expect(await count('country:fr', routeOf(client))).toEqual([size / 3, 'meilisearch']);
  });

  it('are checked by doctor, each and whether they reach each other', async () => {
    const [first, second, third, fourth = ''] = started.urls;
    const texts = async (...urls: string[]) =>
      (await findMeilisearch({ urls: [first, ...urls], key: serverKey })).map(({ state, text }) => [state, text]);
    expect(await texts(second ?? '', third ?? '')).toEqual([
      ...[first, second, third].map((url) => ['ok', expect.stringContaining(url ?? '')]),
      ['ok', 'the 3 Meilisearch servers reach each other'],
    ]);
    const unknown = await texts(fourth);
    expect(unknown.filter(([state]) => state === 'fault').map(([, text]) => text)).toEqual(
      [first, fourth].map((url) => expect.stringContaining(`Meilisearch at ${url} does not know the others yet`)),
    );
  });

  it('give one that has lost its disk its share again', async () => {
    const before = await held();
    const { rows } = await database.pool.query<{ uid: string }>(
      `SELECT uid FROM search_index WHERE resource = 'image'`,
    );
    const { writer } = client.members[1] ?? client.members[0];
    const { taskUid } = await writer.deleteIndex(rows[0]?.uid ?? '');
    await expect.poll(async () => (await writer.tasks.getTask(taskUid)).status, { timeout: 20_000 }).toBe('succeeded');
    expect(await count('country:es', routeOf(client))).toEqual([size / 3, 'unavailable']);
    await indexer.close();
    indexer = startIndexer({ database, client, logger });
    await askMeanwhile(moved(3, rows[0]?.uid));
    expect(await held()).toEqual(before);
    expect(await count('country:es', routeOf(client))).toEqual([size / 3, 'meilisearch']);
  });

  it('are not asked by a process that does not have their addresses', async () => {
    expect(await count('country:es', routeOf(open(0, 1)))).toEqual([size / 3, 'filling']);
    expect(await count('country:es', routeOf(open(0, 1, 2, 3)))).toEqual([size / 3, 'meilisearch']);
  });

  it('give a new one its share alone, and every answer is right meanwhile', async () => {
    const before = await held();
    await indexer.close();
    use(0, 1, 2, 3);
    const seen = await askMeanwhile(moved(4));
    expect([...seen].filter((by) => !['meilisearch', 'filling', 'unavailable'].includes(by))).toEqual([]);
    const after = await expectEachOnce();
    expect(Math.abs((after[3]?.length ?? 0) - size / 4)).toBeLessThan(size / 16);
    for (const [number, part] of before.slice(0, 3).entries())
      expect(part).toEqual(expect.arrayContaining(after[number] ?? []));
    expect(await count('country:es')).toEqual([size / 3, 'meilisearch']);
  });

  it('take the share of one that is removed, also if the worker that moves it ends midway', async () => {
    const before = await held();
    await indexer.close();
    use(0, 1, 3);
    const asked = askMeanwhile(moved(3));
    for (let restarts = 0; restarts < 4; restarts += 1) {
      await sleep(60);
      await indexer.close();
      indexer = startIndexer({ database, client, logger });
    }
    await asked;
    const after = await expectEachOnce();
    for (const number of [0, 1, 3]) expect(after[number]).toEqual(expect.arrayContaining(before[number] ?? []));
    expect(await count('country:es')).toEqual([size / 3, 'meilisearch']);
  });

  it('keep what changes while records are moved', async () => {
    await indexer.close();
    use(0, 1, 2, 3);
    const change = async () => {
      for (let n = 1; n <= 60; n += 1) {
        await database.pool.query(`UPDATE image SET country = 'gr' WHERE image_id = $1`, [`image-${n}`]);
        await database.pool.query('DELETE FROM image WHERE image_id = $1', [`image-${size - n}`]);
        await sleep(3);
      }
    };
    await Promise.all([change(), moved(4)]);
    await upToDate(database);
    await expectEachOnce();
    expect(await count('country:gr')).toEqual([60, 'meilisearch']);
    expect(await count('sunset')).toEqual([size - 60, 'meilisearch']);
  });

  it('become one again, which ranks words as they did together', async () => {
    const pages = async () => [
      await list('sunset', '', 1),
      await list('sunset', '', 30),
      await list('sunset sea', '', 2),
    ];
    const together = await pages();
    expect(answeredBy.slice(-3)).toEqual(['meilisearch', 'meilisearch', 'meilisearch']);
    await indexer.close();
    use(2);
    await moved(1);
    expect((await expectEachOnce()).map(({ length }) => length)).toEqual([0, 0, size - 60, 0]);
    expect(await count('country:gr')).toEqual([60, 'meilisearch']);
    expect(await pages()).toEqual(together);
  });

  it('that are one only keep their index when its address is written in another way', async () => {
    const state = async () =>
      (await database.pool.query(`SELECT uid, members FROM search_index WHERE resource = 'image'`)).rows[0];
    const { uid } = await state();
    await indexer.close();
    const url = started.urls[2]?.replace('127.0.0.1', 'localhost') ?? '';
    client = openMeilisearchClient({ urls: [url], key: serverKey });
    clients.push(client);
    expect(await count('country:gr', routeOf(client))).toEqual([60, 'meilisearch']);
    indexer = startIndexer({ database, client, logger });
    await expect.poll(state, { timeout: 20_000 }).toEqual({ uid, members: [url] });
    expect(await count('country:gr', routeOf(client))).toEqual([60, 'meilisearch']);
  });

  /** Resolves when so many members share all records. */
  async function moved(members: number, former = ''): Promise<void> {
    for (;;) {
      const { rowCount } = await database.pool.query(
        `SELECT FROM search_index WHERE settings IS NOT NULL AND next_uid IS NULL AND cardinality(members) = $1 AND uid <> $2`,
        [members, former],
      );
      if (rowCount === 2) return upToDate(database);
      await sleep(20);
    }
  }
});
