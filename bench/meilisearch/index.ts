import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, openMeilisearchClient } from '../../src/backing/index.ts';
import type { Database, MeilisearchClient } from '../../src/backing/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import {
  answerCount,
  answerFacets,
  countFacets,
  countRecords,
  meilisearchLag,
  noteChanges,
  openMeilisearch,
  readSearchQuery,
  searchRecords,
  startIndexer,
} from '../../src/search/index.ts';
import type { SearchRoute } from '../../src/search/index.ts';
import { settingsOf } from '../../src/search/meilisearch/attributes.ts';
import { readDocumentsAfter } from '../../src/search/meilisearch/documents.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { median, percentile, ratio, report } from '../measure.ts';
import { loadRecords } from '../searching/load.ts';
import type { World } from '../world.ts';
import { queries } from './queries.ts';

const pageSize = 50;
/** The first runs open connections, fill caches and get everything compiled. */
const warmUps = 60;
const rounds = 300;
/** At this many records or more, filling takes ten minutes each time, so it is measured once instead of twice. */
const manyRecords = 500_000;
/** Documents in one message of the bare client. */
const batch = 10_000;
/** Fields that a page shows by default in REST. */
export const properties = ['imageId', 'height', 'width', 'src', 'urlImgWatermark', 'urlImgThumbnail', 'nFaces', 'title', 'headline', 'caption']; // prettier-ignore
export const facets = ['country', 'city', 'author', 'medium', 'status'];

/**
 * Searches through the service compared with direct ones, and filling the indexes compared with Meilisearch's own
 * client.
 */
export async function benchMeilisearch(world: World, size: number): Promise<void> {
  const url = process.env['MEILI_URL'];
  if (url === undefined) return report('Meilisearch', 'skipped', '', 'no MEILI_URL');
  const seconds = await loadRecords(world.databaseUrl, world.tenantId, size);
  report(`${size} records loaded`, `${seconds.toFixed(0)} s`, '', '');
  const database = openDatabase({ url: world.databaseUrl, logger: createLogger('warn') });
  const client = openMeilisearchClient({ urls: [url], key: process.env['MEILI_KEY'] });
  try {
    await benchFeeding(database, client, size);
    const [index] = (
      await database.pool.query<{ uid: string }>(`SELECT uid FROM search_index WHERE resource = 'image'`)
    ).rows;
    await benchSearches(forTenant(database, world.tenantId), client, index?.uid ?? '');
  } finally {
    await dropIndexes(database, client);
    client.close();
    await database.close();
  }
}

async function benchFeeding(database: Database, client: MeilisearchClient, size: number): Promise<void> {
  const documents: object[] = [];
  for (let last = 0; documents.length < size;) {
    const lines = await readDocumentsAfter(database, 'image', last, 2_000);
    for (const { json } of lines) documents.push(JSON.parse(json) as object);
    last = lines.at(-1)?.id ?? Infinity;
  }
  const times = { bare: [] as number[], ours: [] as number[] };
  for (let round = 0; round < (size < manyRecords ? 2 : 1); round += 1) {
    times.bare.push(await feedBare(client, documents, round));
    times.ours.push(await feedOurs(database, client));
  }
  const [ours, bare] = [Math.min(...times.ours), Math.min(...times.bare)];
  const figures = `${(size / ours).toFixed(0)} a second, bare client ${(size / bare).toFixed(0)}`;
  report(`${size} records sent to Meilisearch`, ratio(bare, ours), '≥ 0.8 ×', figures);
}

/** Waits until Meilisearch has everything. */
export async function whenFilled(database: Database): Promise<void> {
  while (!(await meilisearchLag(database)).indexes.every(({ isReady, filling }) => isReady && filling === null))
    await sleep(50);
}

/** Seconds until an empty Meilisearch can be queried. */
async function feedOurs(database: Database, client: MeilisearchClient): Promise<number> {
  await dropIndexes(database, client);
  const began = performance.now();
  await noteChanges(database);
  const indexer = startIndexer({ database, client, logger: createLogger('warn') });
  await whenFilled(database);
  const seconds = (performance.now() - began) / 1000;
  await indexer.close();
  return seconds;
}

async function dropIndexes(database: Database, client: MeilisearchClient): Promise<void> {
  const { rows } = await database.pool.query<{ uid: string | null }>('SELECT uid FROM search_index');
  for (const { uid } of rows) if (uid !== null) await client.members[0].writer.deleteIndex(uid);
  await database.pool.query('UPDATE search_index SET uid = NULL, settings = NULL');
}

/** The same documents, prepared in memory, sent by Meilisearch's own client. */
async function feedBare(
  { members: [{ writer }] }: MeilisearchClient,
  documents: readonly object[],
  round: number,
): Promise<number> {
  const began = performance.now();
  const uid = `bench_bare_${process.pid}_${round}`;
  await writer.createIndex(uid, { primaryKey: 'id' });
  await writer.index(uid).updateSettings(settingsOf.image);
  let last = 0;
  for (let at = 0; at < documents.length; at += batch) {
    last = (await writer.index(uid).addDocuments(documents.slice(at, at + batch))).taskUid;
  }
  for (;;) {
    const { status, error } = await writer.tasks.getTask(last);
    if (status === 'succeeded') break;
    if (status === 'failed') throw new Error(error?.message);
    await sleep(20);
  }
  const seconds = (performance.now() - began) / 1000;
  await writer.deleteIndex(uid);
  return seconds;
}

async function benchSearches(db: TenantDb, client: MeilisearchClient, uid: string): Promise<void> {
  const reasons = new Set<string>();
  const route: SearchRoute = {
    meilisearch: openMeilisearch(client, 0, createLogger('warn')),
    report: (_part, { reason }) => reason && reasons.add(reason),
  };
  const ask = (q: string) => readSearchQuery(q, { resource: 'image', lang: 'ml', mayVerify: false });
  const options = { page: 1, limit: pageSize, sortBy: '', sortOrder: 'desc', cursor: null, withCursor: false } as const;
  const ours = (q: string) => searchRecords(db, ask(q), { ...options, properties }, route);
  const direct = (text: string, filter: string) =>
    client.members[0].reader
      .index(uid)
      .search(text, { filter: `tenant = ${db.tenantId} AND ${filter}`, limit: pageSize, matchingStrategy: 'all' });
  const times = { ours: [] as number[], direct: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const { q, text, filter } of queries) {
      const [first, second] = [await timed(() => ours(q)), await timed(() => direct(text, filter))];
      if (round < warmUps) continue;
      times.ours.push(first);
      times.direct.push(second);
    }
  }
  const [p95, p95Direct] = [percentile(times.ours, 0.95), percentile(times.direct, 0.95)];
  const figures = `p95 ${p95.toFixed(1)} ms, direct ${p95Direct.toFixed(1)} ms; median ${median(times.ours).toFixed(1)} and ${median(times.direct).toFixed(1)} ms`;
  report('text and filter through the service, against Meilisearch', ratio(p95, p95Direct), '≤ 1.25 ×', figures);
  await benchCounts(db, route, ask);
  if (reasons.size > 0) report('answered by PostgreSQL', [...reasons].join(', '), '', '');
}

async function benchCounts(
  db: TenantDb,
  route: SearchRoute,
  ask: (q: string) => Parameters<typeof countRecords>[1],
): Promise<void> {
  const compare = async (what: string, engine: () => Promise<unknown>, sql: () => Promise<unknown>) => {
    const times = { engine: [] as number[], sql: [] as number[] };
    for (let round = 0; round < 6; round += 1) {
      times.engine.push(await timed(engine));
      times.sql.push(await timed(sql));
    }
    const [own, other] = [Math.min(...times.engine), Math.min(...times.sql)];
    report(what, ratio(own, other), '', `${own.toFixed(1)} ms, PostgreSQL ${other.toFixed(1)} ms`);
  };
  const [all, vista] = [ask(''), ask('vista')];
  await compare(
    'count of vista, by Meilisearch',
    () => answerCount(db, vista, route),
    () => countRecords(db, vista),
  );
  await compare(
    'five facets over everything, by Meilisearch',
    () => answerFacets(db, all, facets, 'conjunctive', route),
    () => countFacets(db, all, facets, 'conjunctive'),
  );
  await compare(
    'the facet keywords over everything, by Meilisearch',
    () => answerFacets(db, all, ['keywords'], 'conjunctive', route),
    () => countFacets(db, all, ['keywords'], 'conjunctive'),
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
