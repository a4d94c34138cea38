import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase, openMeilisearchClient } from '../../src/backing/index.ts';
import type { Database, MeilisearchClient } from '../../src/backing/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import {
  answerCount,
  answerFacets,
  noteChanges,
  openMeilisearch,
  readSearchQuery,
  searchRecords,
  startIndexer,
} from '../../src/search/index.ts';
import type { SearchRoute } from '../../src/search/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import { median, percentile, ratio, report } from '../measure.ts';
import { loadRecords } from '../searching/load.ts';
import type { World } from '../world.ts';
import { facets, properties, whenFilled } from './index.ts';
import { queries } from './queries.ts';
import { findMeilisearchProgram, serverKey, startMeilisearchServers } from './servers.ts';
import type { MeilisearchServers } from './servers.ts';

const pageSize = 50;
/** The first runs open connections, fill caches and get everything compiled. */
const warmUps = 40;
const rounds = 120;
const logger = createLogger('warn');

/** A copy of the records with separate Meilisearch servers. */
type Side = Readonly<{ database: Database; client: MeilisearchClient; route: SearchRoute; reasons: Set<string> }>;

/** Three Meilisearch servers that share the records, compared with one that has them all; and the cost of a fourth. */
export async function benchMembers(world: World, size: number): Promise<void> {
  if (findMeilisearchProgram() === null) return report('Meilisearch', 'skipped', '', 'meilisearch is not on PATH');
  await loadRecords(world.databaseUrl, world.tenantId, size);
  const started = await startMeilisearchServers(5);
  const [first = '', ...others] = started.urls;
  const sides = {
    one: openSide(world.databaseUrl, [first]),
    three: openSide(await copyDatabase(world.databaseUrl), [others[0] ?? '', ...others.slice(1, 3)]),
  };
  try {
    const seconds = { one: await fill(sides.one), three: await fill(sides.three) };
    const times = `${seconds.three.toFixed(0)} s, one ${seconds.one.toFixed(0)} s`;
    report(`${size} records sent to three servers`, ratio(seconds.three, seconds.one), '', times);
    await compareDisk(sides);
    await compareSearches(sides, world.tenantId);
    await addFourth(sides.three, started, size);
  } finally {
    for (const { client, database } of Object.values(sides)) {
      client.close();
      await database.close();
    }
    await started.close();
  }
}

function openSide(url: string, urls: readonly [string, ...string[]]): Side {
  const client = openMeilisearchClient({ urls, key: serverKey });
  const reasons = new Set<string>();
  const route: SearchRoute = {
    meilisearch: openMeilisearch(client, 0, logger),
    report: (_part, { reason }) => reason && reasons.add(reason),
  };
  return { database: openDatabase({ url, logger }), client, route, reasons };
}

async function copyDatabase(url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1);
  const admin = new pg.Client({ connectionString: url.replace(/\/[^/]*$/, '/postgres') });
  await admin.connect();
  await admin.query(`CREATE DATABASE copy_of_bench TEMPLATE ${pg.escapeIdentifier(name)} STRATEGY file_copy`);
  await admin.end();
  return url.replace(/\/[^/]*$/, '/copy_of_bench');
}

/** Seconds until empty servers can be queried. */
async function fill({ database, client }: Side): Promise<number> {
  const began = performance.now();
  await noteChanges(database);
  const indexer = startIndexer({ database, client, logger });
  await whenFilled(database);
  const seconds = (performance.now() - began) / 1000;
  await indexer.close();
  return seconds;
}

async function compareDisk({ one, three }: Readonly<Record<'one' | 'three', Side>>): Promise<void> {
  const [whole = 0] = await sizesOf(one.client);
  const parts = await sizesOf(three.client);
  const largest = Math.max(...parts);
  const figures = `${parts.map((part) => (part / 1e6).toFixed(0)).join(', ')} MB, one ${(whole / 1e6).toFixed(0)} MB`;
  report('disk of the largest of three, against one', ratio(largest, whole), '≤ 0.4 ×', figures);
}

async function sizesOf({ members }: MeilisearchClient): Promise<number[]> {
  return Promise.all(members.map(async ({ writer }) => (await writer.getStats()).usedDatabaseSize ?? 0));
}

async function compareSearches(sides: Readonly<Record<'one' | 'three', Side>>, tenantId: number): Promise<void> {
  const ask = (q: string) => readSearchQuery(q, { resource: 'image', lang: 'ml', mayVerify: false });
  const options = { page: 1, limit: pageSize, sortBy: '', sortOrder: 'desc', cursor: null, withCursor: false } as const;
  const dbOf = ({ database }: Side) => forTenant(database, tenantId);
  await compare(sides, 'text and filter, by three servers', queries, ({ q }, side) =>
    searchRecords(dbOf(side), ask(q), { ...options, properties }, side.route),
  );
  await compare(sides, 'their counts', queries, ({ q }, side) => answerCount(dbOf(side), ask(q), side.route));
  await compare(sides, 'five facets over everything', [0], (_, side) =>
    answerFacets(dbOf(side), ask(''), facets, 'conjunctive', side.route),
  );
  await compare(sides, 'the facet keywords over everything', [0], (_, side) =>
    answerFacets(dbOf(side), ask(''), ['keywords'], 'conjunctive', side.route),
  );
  await compare(sides, 'page 20 by date', queries, ({ q }, side) =>
    searchRecords(dbOf(side), ask(q), { ...options, page: 20, sortBy: 'date', properties }, side.route),
  );
  const reasons = new Set(Object.values(sides).flatMap((side) => [...side.reasons]));
  if (reasons.size > 0) report('answered by PostgreSQL', [...reasons].join(', '), '', '');
}

/** Measures both alternately, so that a drift of the machine affects both. */
async function compare<T>(
  { one, three }: Readonly<Record<'one' | 'three', Side>>,
  what: string,
  cases: readonly T[],
  search: (each: T, side: Side) => Promise<unknown>,
): Promise<void> {
  const times = { one: [] as number[], three: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const each of cases) {
      const [alone, shared] = [await timed(() => search(each, one)), await timed(() => search(each, three))];
      if (round < warmUps) continue;
      times.one.push(alone);
      times.three.push(shared);
    }
  }
  const [own, other] = [median(times.three), median(times.one)];
  const p95 = `p95 ${percentile(times.three, 0.95).toFixed(1)} ms, one ${percentile(times.one, 0.95).toFixed(1)} ms`;
  report(what, ratio(own, other), '≤ 1.2 ×', `${own.toFixed(1)} ms, one ${other.toFixed(1)} ms; ${p95}`);
}

/** Time and documents that adding a fourth server takes. */
async function addFourth({ database, client }: Side, { urls }: MeilisearchServers, size: number): Promise<void> {
  const [first, ...others] = client.members;
  const grown = openMeilisearchClient({ urls: [first.url, ...others.map(({ url }) => url), urls[4] ?? ''], key: serverKey }); // prettier-ignore
  const began = performance.now();
  const indexer = startIndexer({ database, client: grown, logger });
  let answered = 0;
  const state = `SELECT bool_and(next_uid IS NULL AND cardinality(members) = 4) AS "isDone", bool_and(settings IS NOT NULL) AS "isQueried" FROM search_index`;
  for (;;) {
    const [row] = (await database.pool.query<{ isDone: boolean; isQueried: boolean }>(state)).rows;
    if (row?.isQueried !== true) answered += 20;
    if (row?.isDone === true) break;
    await sleep(20);
  }
  const seconds = (performance.now() - began) / 1000;
  await indexer.close();
  const documents = await Promise.all(grown.members.map(async ({ writer }) => (await writer.getStats()).indexes));
  const newest = Object.values(documents.at(-1) ?? {}).reduce(
    (sum, { numberOfDocuments }) => sum + numberOfDocuments,
    0,
  );
  grown.close();
  const figures = `${seconds.toFixed(0)} s, of which PostgreSQL answered ${(answered / 1000).toFixed(1)} s`;
  report('records that a fourth server takes', `${((100 * newest) / size).toFixed(0)} %`, '25 %', figures);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
