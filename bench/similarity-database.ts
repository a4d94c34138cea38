import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import pg from 'pg';
import { openDatabase } from '../src/backing/index.ts';
import type { Database } from '../src/backing/index.ts';
import { createLogger } from '../src/observability/logger.ts';
import { indexedValue } from '../src/search/formula/to-sql.ts';
import { buildVectorIndexes, fillIndexes, rebuildParts, TenantIndexes } from '../src/similarity/index.ts';
import type { Hit, Query, RowFilter } from '../src/similarity/index.ts';
import { buildMemoryFor } from '../src/similarity/database/build-memory.ts';
import { forTenant } from '../src/tenants/index.ts';
import type { TenantDb } from '../src/tenants/index.ts';
import { dimensions, vectorsOf } from './scene-vectors.ts';
import type { Vectors } from './scene-vectors.ts';
import { findPgvector } from './pgvector.ts';
import { percentile, report } from './measure.ts';
import type { World } from './world.ts';

const rounds = 100;
const memory = { mode: 'memory', databaseFrom: Number.POSITIVE_INFINITY } as const;
const inDatabase = { mode: 'database', databaseFrom: 0 } as const;

/** Fingerprints, and the columns of their images that filters use. */
const seed = `
  WITH given AS (SELECT e, n + $3::int AS n FROM unnest($2::bytea[]) WITH ORDINALITY AS u (e, n)),
  images AS (
    INSERT INTO image (row_id, tenant_id, image_id, country, keywords, terms, categories, collections, width, height, lang, format, byte_size, checksum)
    SELECT n, $1, 'image-' || n, 'Country ' || n % 50, ARRAY['word' || n % 5000],
           ARRAY['country=country ' || n % 50, 'keywords=word' || n % 5000], '{}', '{}', 10, 10, 'en', 'jpeg', 1, sha256(n::text::bytea) FROM given
  )
  INSERT INTO image_fingerprint (row_id, tenant_id, pdq, pdq_quality, regions, embedding, model_id)
  SELECT n, $1, h, 80, h || h || h || h || h, e, $4
  FROM given, LATERAL (SELECT CASE WHEN $5 THEN sha256(n::text::bytea) END AS h) AS hash`;
const seedRows = 5_000;
/** Indexes that the filters below use. */
const indexesOfFilters = ['image_search_idx', 'image_by_country_idx'];

/** Settings with which PostgreSQL builds an index of this many vectors in memory, as an operator would choose them. */
export function settingsOfBuild(count: number): string[] {
  const { needed } = buildMemoryFor(count, { dimensions, allowed: 0 });
  return [`maintenance_work_mem=${Math.ceil(needed / 1024)}kB`, 'max_wal_size=8GB'];
}

/** What the fingerprints have: `hashes` for `i==` and `i===`, `vectors` for `i~`. */
type Parts = Readonly<{ hashes: boolean; vectors: boolean }>;

/**
 * This many fingerprints of a tenant, searched in the database: by the index of hashes, and page by page. Needs no
 * more memory than a page; `npm run bench -- similarity-database 1000000`.
 *
 * @param only `hashes` or `vectors`; undefined for both. With a kept folder, fingerprints of an earlier run stay.
 */
export async function benchSimilarityDatabase(
  { databaseUrl, tenantId }: World,
  count: number,
  only?: string,
): Promise<void> {
  const parts = { hashes: only !== 'vectors', vectors: only !== 'hashes' };
  await fillWithFingerprints(databaseUrl, { tenantId, count, parts });
  const database = openDatabase({ url: databaseUrl, logger: createLogger('warn') });
  const db = forTenant(database, tenantId);
  const began = performance.now();
  await fillIndexes(database, inDatabase, createLogger('warn'), new AbortController().signal);
  const indexes = new TenantIndexes(64 * 2 ** 20, 2, inDatabase);
  if (parts.hashes) await benchHashes(database, { db, indexes, count, began });
  if (parts.vectors) await benchAllVectors(database, { db, indexes, count, vectors: vectorsOf(count) });
  await indexes.close();
  await database.close();
}

type Hashes = Readonly<{ db: TenantDb; indexes: TenantIndexes; count: number; began: number }>;

async function benchHashes(database: Database, { db, indexes, count, began }: Hashes): Promise<void> {
  report('fill the index, fingerprints a second', perSecond(count, began), '-', await sizes(db));
  await db.pool.query('VACUUM ANALYZE fingerprint_hash'); // Autovacuum would do this a minute after the table is filled.
  const rebuilding = performance.now();
  const rebuilt = await rebuildParts({ database, logger: createLogger('warn'), signal: new AbortController().signal });
  const seconds = Math.round((performance.now() - rebuilding) / 1000);
  report('indexes of hashes that are rebuilt when full', `${rebuilt}`, '-', `${seconds} s, ${await sizes(db)}`);
  const before = process.memoryUsage().rss;
  for (const [operator, atMost] of [
    ['i===', 10],
    ['i==', 31],
  ] as const) {
    await time(`${operator} against ${count} hashes in the database`, '≤ 30 ms', async (round) => {
      const own = 1 + ((round * 7_919) % count);
      const query: Query = { kind: 'hashes', hashes: nearHashOf(own), atMost, minQuality: 0 };
      const hits = await indexes.search(db, (index) => index.find(query), 'image', ['hashes']);
      if (!hits.some(({ id }) => id === own)) throw new Error(`${operator} did not find hash ${own}`);
    });
  }
  const grown = Math.round((process.memoryUsage().rss - before) / 1e6);
  report('memory of the process for them', `${grown} MB`, '≤ 300 MB', '');
}

type Searched = Readonly<{ db: TenantDb; indexes: TenantIndexes; count: number; vectors: Vectors }>;

async function benchAllVectors(database: Database, searched: Searched): Promise<void> {
  const { db, indexes, vectors } = searched;
  const pages = performance.now();
  const isComplete = await indexes
    .search(db, (index) => index.find({ kind: 'vectors', vector: vectors(1), atLeast: 0.9 }))
    .then(
      () => true,
      // With several million vectors a pass reaches the service's limit.
      (error: unknown) => {
        if ((error as { code?: string }).code !== 'unavailable') throw error;
        return false;
      },
    );
  const seconds = `${((performance.now() - pages) / 1000).toFixed(1)} s`;
  report('i~ page by page', isComplete ? seconds : `refused after ${seconds}`, '-', '');
  if (findPgvector() === null)
    report('i~ by an index of vectors', 'skipped', '-', 'no pgvector, see PGVECTOR_POSTGRES');
  else await benchVectors(database, searched);
}

async function benchVectors(database: Database, { db, indexes, count, vectors }: Searched): Promise<void> {
  const began = performance.now();
  const logger = createLogger('warn');
  await buildVectorIndexes({
    database,
    logger,
    placement: { mode: 'auto', databaseFrom: 1 },
    signal: new AbortController().signal,
  });
  report('build the index of vectors, images a second', perSecond(count, began), '-', await vectorSize(db));
  const before = process.memoryUsage().rss;
  const asked = (round: number) => vectors(1 + ((round * 7_919) % count));
  for (const [what, atLeast, within] of [
    ['i~~~', 0.75, null],
    ['i~~', 0.45, null],
    ['i~', 0.25, null],
    ['i~ among 20 % (ten countries)', 0.25, 'countries'],
    ['i~ among 2 % (a country)', 0.25, 'country'],
    ['i~ among 200 in a million (a keyword)', 0.25, 'keyword'],
  ] as const) {
    let found = 0;
    await time(`${what} against ${count} vectors in the database`, '≤ 40 ms', async (round) => {
      const hits = await nearest(indexes, db, asked(round), {
        atLeast,
        within: within && filters[within](round),
      });
      found = hits.length;
    });
    report('  of which the last found', `${found}`, '-', '');
  }
  const grown = Math.round((process.memoryUsage().rss - before) / 1e6);
  report('memory of the process for them', `${grown} MB`, '≤ 300 MB', '');
  const exact = new TenantIndexes(3 * 2 ** 30, 2, memory);
  for (const within of [null, 'countries', 'country'] as const) {
    const all = await recall(exact, indexes, { db, asked, within });
    const among = { all: '', countries: ' among 20 %', country: ' among 2 %' }[within ?? 'all'];
    report(`recall of the first 50${among}`, all.toFixed(4), '≥ 0.98', '');
  }
  await exact.close();
}

/** Conditions in the form that the search writes. */
const filters = {
  countries: (round: number) => async (parameter: (value: unknown) => string) =>
    `tenant_id = $1 AND ${indexedValue('country')} = ANY (${parameter(Array.from({ length: 10 }, (_, k) => `country ${(round + k) % 50}`))}::text[])`,
  country: (round: number) => async (parameter: (value: unknown) => string) =>
    `tenant_id = $1 AND ${indexedValue('country')} = ${parameter(`country ${round % 50}`)}::text`,
  keyword: (round: number) => async (parameter: (value: unknown) => string) =>
    `tenant_id = $1 AND terms @> ${parameter([`keywords=word${round % 5_000}`])}::text[]`,
} as const;

type Near = Readonly<{ atLeast: number; within: RowFilter | null }>;

async function nearest(
  indexes: TenantIndexes,
  db: TenantDb,
  vector: Int8Array,
  { atLeast, ...scope }: Near,
): Promise<Hit[]> {
  return indexes.search(db, (index) => index.findAlike({ kind: 'vectors', vector, atLeast }, scope), 'image', [
    'vectors',
  ]);
}

/**
 * The fraction of the 50 nearest according to an exact scan that are also among the 50 nearest according to the
 * index.
 */
async function recall(
  exact: TenantIndexes,
  indexes: TenantIndexes,
  {
    db,
    asked,
    within,
  }: Readonly<{ db: TenantDb; asked: (round: number) => Int8Array; within: 'countries' | 'country' | null }>,
): Promise<number> {
  let [found, expected] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    // Countries in the form that an in-memory scan gets them: by the number of the image.
    const isWithin = ({ id }: Hit) =>
      within === null || (id - round + 50 * rounds) % 50 < (within === 'countries' ? 10 : 1);
    const all = await nearest(exact, db, asked(round), { atLeast: 0, within: null });
    const hits = await nearest(indexes, db, asked(round), { atLeast: 0, within: within && filters[within](round) });
    const first = firstOf(all.filter(isWithin));
    const own = new Set(firstOf(hits).map(({ id }) => id));
    expected += first.length;
    found += first.filter(({ id }) => own.has(id)).length;
  }
  return found / expected;
}

function firstOf(hits: readonly Hit[]): Hit[] {
  return hits.toSorted((a, b) => b.value - a.value || a.id - b.id).slice(0, 50);
}

type Filling = Readonly<{ tenantId: number; count: number; parts: Parts }>;

async function fillWithFingerprints(url: string, filling: Filling): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: kept } = await client.query(`SELECT FROM record_total WHERE tenant_id = $1 AND count = $2`, [
    filling.tenantId,
    filling.count,
  ]);
  if (kept.length === 0) await fill(client, filling);
  await client.end();
}

async function fill(client: pg.Client, { tenantId, count, parts }: Filling): Promise<void> {
  const model = await client.query<{ id: number }>(`INSERT INTO embedding_model (name) VALUES ('bench') RETURNING id`);
  await client.query('SET session_replication_role = replica');
  // Built at the end, an index takes a tenth of the time.
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = 'image' AND indexname <> 'image_pkey'`,
  );
  for (const { name } of indexes)
    await client.query(`ALTER TABLE image DROP CONSTRAINT IF EXISTS ${name}; DROP INDEX IF EXISTS ${name}`);
  const vectors = vectorsOf(count);
  for (let at = 0; at < count; at += seedRows) {
    const length = Math.min(seedRows, count - at);
    const embeddings = Array.from({ length }, (_, k) =>
      parts.vectors ? Buffer.from(vectors(at + k + 1).buffer) : null,
    );
    await client.query(seed, [tenantId, embeddings, at, parts.vectors ? model.rows[0]?.id : null, parts.hashes]);
  }
  const isRead = ({ name }: { name: string }) => parts.vectors && indexesOfFilters.includes(name);
  for (const { definition } of indexes.filter(isRead)) await client.query(definition);
  for (const table of ['image', 'image_fingerprint']) await client.query(`VACUUM ANALYZE ${table}`);
  await client.query(
    `INSERT INTO record_total (tenant_id, resource, count) VALUES ($1, 'image', $2)
     ON CONFLICT (tenant_id, resource) DO UPDATE SET count = EXCLUDED.count`,
    [tenantId, count],
  );
}

function hashOf(n: number): Buffer {
  return createHash('sha256').update(`${n}`).digest();
}

/** A hash with bits changed in several parts. */
function nearHashOf(n: number): Uint8Array {
  return hashOf(n).map((byte, k) => ([3, 9, 15, 21, 27].includes(k) ? byte ^ 0x11 : byte));
}

async function sizes(db: TenantDb): Promise<string> {
  const { rows } = await db.pool.query<{ text: string }>(
    `SELECT pg_size_pretty(pg_total_relation_size('fingerprint_hash')) || ' beside '
       || pg_size_pretty(pg_total_relation_size('image_fingerprint')) AS text`,
  );
  return rows[0]?.text ?? '';
}

async function vectorSize(db: TenantDb): Promise<string> {
  const { rows } = await db.pool.query<{ text: string }>(
    `SELECT pg_size_pretty(sum(pg_relation_size(oid))) AS text FROM pg_class WHERE relname LIKE 'fingerprint\\_vectors\\_%'`,
  );
  return rows[0]?.text ?? '';
}

function perSecond(count: number, began: number): string {
  return `${Math.round(count / (performance.now() - began))}k`;
}

async function time(what: string, target: string, run: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < 10; round += 1) await run(rounds + round);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await run(round);
    times.push(performance.now() - began);
  }
  report(
    `${what}, p95`,
    `${percentile(times, 0.95).toFixed(1)} ms`,
    target,
    `p50 ${percentile(times, 0.5).toFixed(1)} ms`,
  );
}
