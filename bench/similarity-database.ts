import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import pg from 'pg';
import { openDatabase } from '../src/backing/index.ts';
import { createLogger } from '../src/observability/logger.ts';
import { fillIndexes, TenantIndexes } from '../src/similarity/index.ts';
import type { Query } from '../src/similarity/index.ts';
import { forTenant } from '../src/tenants/index.ts';
import type { TenantDb } from '../src/tenants/index.ts';
import { percentile, report } from './measure.ts';
import type { World } from './world.ts';

const rounds = 100;
const dimensions = 128;

/** Fingerprints alone, without their images: nothing else is read. */
const seed = `
  INSERT INTO image_fingerprint (row_id, tenant_id, pdq, pdq_quality, regions, embedding, model_id)
  SELECT n, $1, h, 80, h || h || h || h || h, h || h || h || h, $3
  FROM generate_series(1, $2::int) AS n, LATERAL (SELECT sha256(n::text::bytea) AS h) AS hash`;

/**
 * So many fingerprints of a tenant, searched in the database: by the index of hashes, and page by page. Needs no memory but a
 * page; `npm run bench -- similarity-database 1000000`.
 */
export async function benchSimilarityDatabase({ databaseUrl, tenantId }: World, count: number): Promise<void> {
  await fillWithFingerprints(databaseUrl, tenantId, count);
  const database = openDatabase({ url: databaseUrl, logger: createLogger('warn') });
  const db = forTenant(database, tenantId);
  const began = performance.now();
  await fillIndexes(
    database,
    { mode: 'database', databaseFrom: 0 },
    createLogger('warn'),
    new AbortController().signal,
  );
  report('fill the index, fingerprints a second', perSecond(count, began), '-', await sizes(db));
  const indexes = new TenantIndexes(64 * 2 ** 20, 2, { mode: 'database', databaseFrom: 0 });
  const before = process.memoryUsage().rss;
  for (const [operator, atMost] of [
    ['i===', 10],
    ['i==', 31],
  ] as const) {
    await time(`${operator} against ${count} hashes in the database`, '≤ 30 ms', async (round) => {
      const own = 1 + ((round * 7_919) % count);
      const query: Query = { kind: 'hashes', hashes: nearHashOf(own), atMost, minQuality: 0 };
      const hits = await indexes.search(db, (index) => index.find(query), 'image', 'hashes');
      if (!hits.some(({ id }) => id === own)) throw new Error(`${operator} did not find hash ${own}`);
    });
  }
  const grown = Math.round((process.memoryUsage().rss - before) / 1e6);
  report('memory of the process for them', `${grown} MB`, '≤ 300 MB', '');
  const vector = new Int8Array(Buffer.concat(Array.from({ length: dimensions / 32 }, () => hashOf(1))));
  const pages = performance.now();
  await indexes.search(db, (index) => index.find({ kind: 'vectors', vector, atLeast: 0.9 }));
  const seconds = (performance.now() - pages) / 1000;
  report('i~ page by page', `${seconds.toFixed(1)} s`, '-', '');
  await indexes.close();
  await database.close();
}

async function fillWithFingerprints(url: string, tenantId: number, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const model = await client.query<{ id: number }>(`INSERT INTO embedding_model (name) VALUES ('bench') RETURNING id`);
  await client.query('SET session_replication_role = replica');
  await client.query(seed, [tenantId, count, model.rows[0]?.id]);
  await client.query(
    `INSERT INTO record_total (tenant_id, resource, count) VALUES ($1, 'image', $2)
     ON CONFLICT (tenant_id, resource) DO UPDATE SET count = EXCLUDED.count`,
    [tenantId, count],
  );
  await client.query('VACUUM ANALYZE image_fingerprint');
  await client.end();
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
