import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { openDatabase } from '../../src/backing/index.ts';
import type { Database } from '../../src/backing/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { countFacets, countRecords, readSearchQuery, searchRecords } from '../../src/search/index.ts';
import type { SearchQuery } from '../../src/search/index.ts';
import { createParameters, whereOf } from '../../src/search/query/search-query.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { median, ratio, report } from '../measure.ts';
import type { World } from '../world.ts';
import { createBareTable } from './bare.ts';
import { loadRecords } from './load.ts';
import { counted, facets, queries } from './queries.ts';
import type { BenchQuery } from './queries.ts';

const pageSize = 50;
/** Number of runs of each side. */
const rounds = { least: 4, most: 30 } as const;
const enoughMs = 3000;
/** Fields that a page shows by default in REST. */
const properties = ['height', 'width', 'src', 'urlImgWatermark', 'urlImgThumbnail', 'nFaces', 'title', 'headline', 'caption']; // prettier-ignore
const columns = 'image_id, height, width, src, url_img_watermark, url_img_thumbnail, n_faces, title, headline, caption';

/** Formulas over many records, each compared with the SQL that an expert would write. */
export async function benchSearching(world: World, size: number): Promise<void> {
  const seconds = await loadRecords(world.databaseUrl, world.tenantId, size);
  report(`${size} records loaded and indexed`, `${seconds.toFixed(0)} s`, '< 600 s', '');
  await createBareTable(world.databaseUrl);
  const database = openDatabase({ url: world.databaseUrl, logger: createLogger('warn') });
  try {
    await compareAll(database, world.tenantId);
  } finally {
    await database.close();
  }
}

/** The comparison alone, on records that are already loaded. */
export async function compareAll(database: Database, tenantId: number): Promise<void> {
  const db = forTenant(database, tenantId);
  benchCompiling();
  for (const query of queries) await benchPage(db, query);
  for (const q of counted) await benchCount(db, q);
  await benchFacets(db);
  for (const q of ['', 'country:es']) await benchDepth(db, q);
}

function ask(q: string): SearchQuery {
  return readSearchQuery(q, { resource: 'image', lang: 'ml', mayVerify: false });
}

function list(db: TenantDb, { q, sortBy }: Pick<BenchQuery, 'q' | 'sortBy'>, cursor: string | null = null) {
  const options = { page: 1, limit: pageSize, sortBy, sortOrder: 'desc' as const, cursor };
  return searchRecords(db, ask(q), { ...options, properties: ['imageId', ...properties], withCursor: cursor !== null });
}

async function bare<Row>({ pool, tenantId }: TenantDb, text: string): Promise<Row[]> {
  return (await pool.query(text, [tenantId])).rows as Row[];
}

/**
 * The minimum milliseconds of two ways to the same result, run alternately: everything else that the machine does
 * only adds time. Fast ones run more often.
 */
async function compare(ours: () => Promise<unknown>, hand: () => Promise<unknown>): Promise<[number, number]> {
  const least: [number, number] = [Infinity, Infinity];
  const end = performance.now() + enoughMs;
  for (let round = 0; round < rounds.least || (round < rounds.most && performance.now() < end); round += 1) {
    for (const [index, run] of ([ours, hand] as const).entries()) {
      const began = performance.now();
      await run();
      least[index] = Math.min(least[index] ?? Infinity, performance.now() - began);
    }
  }
  return least;
}

function show(what: string, [ours, hand]: [number, number], most: number, target: string): void {
  const isFar = ours / hand > most && ours - hand > 1;
  const figures = `${ours.toFixed(1)} ms, by hand ${hand.toFixed(1)} ms${isFar ? '   <<' : ''}`;
  report(what.length > 52 ? `${what.slice(0, 51)}…` : what, ratio(ours, hand), target, figures);
}

function benchCompiling(): void {
  const times: number[] = [];
  for (let round = 0; round < 300; round += 1) {
    for (const { q } of queries) {
      const began = process.cpuUsage();
      whereOf(ask(q), createParameters().parameter);
      const { user, system } = process.cpuUsage(began);
      // In the first rounds, the code is not compiled yet.
      if (round >= 100) times.push((user + system) / 1000);
    }
  }
  const sorted = times.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  report(
    'a formula parsed, checked, compiled: p99 of CPU',
    `${p99.toFixed(2)} ms`,
    '≤ 1 ms',
    `p50 ${median(times).toFixed(2)} ms`,
  );
}

async function benchPage(db: TenantDb, query: BenchQuery): Promise<void> {
  const { q, where, order, isSelective } = query;
  const text = `SELECT ${columns} FROM bare_image WHERE tenant_id = $1 AND ${where} ORDER BY ${order} LIMIT ${pageSize}`;
  const expected = (await bare<{ image_id: string }>(db, text)).map((row) => row.image_id);
  const found = (await list(db, query)).results.map((row) =>
    String((row as Readonly<Record<string, unknown>>)['imageId']),
  );
  if (JSON.stringify(found) !== JSON.stringify(expected)) process.stdout.write(`  differs: ${q}\n`);
  const times = await compare(
    () => list(db, query),
    () => bare(db, text),
  );
  show(q === '' ? 'everything by title' : q, times, 1.3, isSelective ? '≤ 1.3 ×, 50 ms' : '≤ 1.3 ×, 1 s');
}

async function benchCount(db: TenantDb, q: string): Promise<void> {
  const where = queries.find((query) => query.q === q)?.where ?? 'true';
  const times = await compare(
    () => countRecords(db, ask(q)),
    () => bare(db, `SELECT count(*) FROM bare_image WHERE tenant_id = $1 AND ${where}`),
  );
  show(`count of ${q === '' ? 'everything' : q}`, times, 1.5, '≤ 1.5 ×');
}

async function benchFacets(db: TenantDb): Promise<void> {
  const names = Object.keys(facets);
  const hand = (expression: string) =>
    bare(
      db,
      `SELECT ${expression} AS value, count(*) FROM bare_image WHERE tenant_id = $1 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 100`,
    );
  const five = await compare(
    () => countFacets(db, ask(''), names, 'conjunctive'),
    () => Promise.all(Object.values(facets).map(hand)),
  );
  show('five facets over everything', five, 1.5, '≤ 1.5 ×, 1.5 s');
  const keywords = await compare(
    () => countFacets(db, ask(''), ['keywords'], 'conjunctive'),
    () => hand('unnest(keywords)'),
  );
  show('the facet keywords over everything', keywords, 1.5, '≤ 1.5 ×');
}

/** Page 2000 by cursor compared with page 1. */
async function benchDepth(db: TenantDb, q: string): Promise<void> {
  const query = { q, sortBy: '' };
  const pages = Math.min(2000, Math.floor((await countRecords(db, ask(q))) / pageSize) - 1);
  let cursor: string | null = '';
  const options = { page: 1, limit: pageSize, sortBy: '', sortOrder: 'desc' as const, properties: ['imageId'] };
  for (let page = 1; page < pages; page += 1) {
    const place: string | null = cursor === '' ? null : cursor;
    cursor = (await searchRecords(db, ask(q), { ...options, cursor: place, withCursor: true })).cursor;
  }
  const times = await compare(
    () => list(db, query, cursor),
    () => list(db, query),
  );
  const [deep, first] = times;
  const figures = `${deep.toFixed(1)} ms, page 1 ${first.toFixed(1)} ms`;
  report(`page ${pages} by cursor: ${q === '' ? 'everything' : q}`, ratio(deep, first), '≤ 2 ×', figures);
}
