import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { openDatabase } from '../../src/backing/index.ts';
import type { Database } from '../../src/backing/index.ts';
import { createLogger } from '../../src/logger.ts';
import { countFacets, countImages, readQuestion, searchImages } from '../../src/search/index.ts';
import type { Question } from '../../src/search/index.ts';
import { createParameters, whereOf } from '../../src/search/question.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { median, ratio, report } from '../measure.ts';
import type { World } from '../world.ts';
import { createBareTable } from './bare.ts';
import { loadRecords } from './load.ts';
import { counted, facets, questions } from './questions.ts';
import type { BenchQuestion } from './questions.ts';

const pageSize = 50;
/** Runs of each side, in turns; the first warms up and is not counted. */
const rounds = 6;
/** Fields that a page shows, by REST's default. */
const properties = ['height', 'width', 'src', 'urlImgWatermark', 'urlImgThumbnail', 'nFaces', 'title', 'headline', 'caption']; // prettier-ignore
const columns = 'image_id, height, width, src, url_img_watermark, url_img_thumbnail, n_faces, title, headline, caption';

/** Formulas over many records, each beside the SQL that an expert would write. */
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

/** The comparison alone, on records that are loaded. */
export async function compareAll(database: Database, tenantId: number): Promise<void> {
  const db = forTenant(database, tenantId);
  benchCompiling();
  for (const question of questions) await benchPage(db, question);
  for (const q of counted) await benchCount(db, q);
  await benchFacets(db);
  for (const q of ['', 'country:es']) await benchDepth(db, q);
}

function ask(q: string): Question {
  return readQuestion(q, { resource: 'image', lang: 'ml', mayVerify: false });
}

function list(db: TenantDb, { q, sortBy }: Pick<BenchQuestion, 'q' | 'sortBy'>, cursor: string | null = null) {
  const options = { page: 1, limit: pageSize, sortBy, sortOrder: 'desc' as const, cursor };
  return searchImages(db, ask(q), { ...options, properties: ['imageId', ...properties], withCursor: cursor !== null });
}

async function bare<Row>({ pool, tenantId }: TenantDb, text: string): Promise<Row[]> {
  return (await pool.query(text, [tenantId])).rows as Row[];
}

/** Median milliseconds of two ways to the same answer, run in turns. */
async function compare(ours: () => Promise<unknown>, hand: () => Promise<unknown>): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, run] of [ours, hand].entries()) {
      const began = performance.now();
      await run();
      if (round > 0) times[index]?.push(performance.now() - began);
    }
  }
  return [median(times[0]), median(times[1])];
}

function show(what: string, [ours, hand]: [number, number], most: number, target: string): void {
  const isFar = ours / hand > most && ours - hand > 1;
  const figures = `${ours.toFixed(1)} ms, by hand ${hand.toFixed(1)} ms${isFar ? '   <<' : ''}`;
  report(what.length > 52 ? `${what.slice(0, 51)}…` : what, ratio(ours, hand), target, figures);
}

function benchCompiling(): void {
  const times: number[] = [];
  for (let round = 0; round < 300; round += 1) {
    for (const { q } of questions) {
      const began = performance.now();
      whereOf(ask(q), createParameters().parameter);
      // The first rounds are those of code that is not compiled yet.
      if (round >= 100) times.push(performance.now() - began);
    }
  }
  const sorted = times.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  report(
    'a formula parsed, checked and compiled, p99',
    `${p99.toFixed(2)} ms`,
    '≤ 1 ms',
    `p50 ${median(times).toFixed(2)} ms`,
  );
}

async function benchPage(db: TenantDb, question: BenchQuestion): Promise<void> {
  const { q, where, order, isSelective } = question;
  const text = `SELECT ${columns} FROM bare_image WHERE tenant_id = $1 AND ${where} ORDER BY ${order} LIMIT ${pageSize}`;
  const expected = (await bare<{ image_id: string }>(db, text)).map((row) => row.image_id);
  const found = (await list(db, question)).results.map((row) =>
    String((row as Readonly<Record<string, unknown>>)['imageId']),
  );
  if (JSON.stringify(found) !== JSON.stringify(expected)) process.stdout.write(`  differs: ${q}\n`);
  const times = await compare(
    () => list(db, question),
    () => bare(db, text),
  );
  show(q === '' ? 'everything by title' : q, times, 1.3, isSelective ? '≤ 1.3 ×, 50 ms' : '≤ 1.3 ×, 1 s');
}

async function benchCount(db: TenantDb, q: string): Promise<void> {
  const where = questions.find((question) => question.q === q)?.where ?? 'true';
  const times = await compare(
    () => countImages(db, ask(q)),
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

/** Page 2000 by cursor against page 1. */
async function benchDepth(db: TenantDb, q: string): Promise<void> {
  const question = { q, sortBy: '' };
  const pages = Math.min(2000, Math.floor((await countImages(db, ask(q))) / pageSize) - 1);
  let cursor: string | null = '';
  const options = { page: 1, limit: pageSize, sortBy: '', sortOrder: 'desc' as const, properties: ['imageId'] };
  for (let page = 1; page < pages; page += 1) {
    const place: string | null = cursor === '' ? null : cursor;
    cursor = (await searchImages(db, ask(q), { ...options, cursor: place, withCursor: true })).cursor;
  }
  const times = await compare(
    () => list(db, question, cursor),
    () => list(db, question),
  );
  const [deep, first] = times;
  const figures = `${deep.toFixed(1)} ms, page 1 ${first.toFixed(1)} ms`;
  report(`page ${pages} by cursor: ${q === '' ? 'everything' : q}`, ratio(deep, first), '≤ 2 ×', figures);
}
