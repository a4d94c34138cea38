import type { PoolClient } from 'pg';
import { inTransaction, lockKeys } from '../../backing/index.ts';
import type { Database } from '../../backing/index.ts';

/** Number of fingerprints that one statement copies: takes well below a second. */
const batchRows = 5_000;

/** Starts an index for each tenant that has enough images; once this is committed, triggers keep it up to date. */
const begin = `
  INSERT INTO fingerprint_index (tenant_id, total)
  SELECT t.tenant_id, t.count FROM record_total t
  WHERE t.resource = 'image' AND t.count >= $1 AND NOT EXISTS (SELECT FROM fingerprint_index i WHERE i.tenant_id = t.tenant_id)
  ON CONFLICT DO NOTHING`;

/** Any transaction that did not see the committed row of the index when it wrote is older than this one. */
const mark = 'UPDATE fingerprint_index SET since = pg_current_xact_id() WHERE since IS NULL';

/** Triggers do not copy what older transactions write, so those must have ended before fingerprints are read. */
const unfilled = `
  SELECT tenant_id AS "tenantId", since <= pg_snapshot_xmin(pg_current_snapshot()) AS "canFill" FROM fingerprint_index
  WHERE ready_at IS NULL ORDER BY 2 DESC NULLS LAST, tenant_id LIMIT 1`;

/**
 * Copies the next fingerprints. The lock keeps them from being deleted before the copies are committed. A row that a
 * trigger has already written is newer, so it stays.
 */
const copy = `
  WITH place AS (SELECT filled_to FROM fingerprint_index WHERE tenant_id = $1),
  page AS (
    SELECT row_id, tenant_id, pdq, regions FROM image_fingerprint
    WHERE tenant_id = $1 AND row_id > (SELECT filled_to FROM place) ORDER BY row_id LIMIT ${batchRows} FOR KEY SHARE
  ), hashes AS (
    INSERT INTO fingerprint_hash (row_id, tenant_id, pdq)
    SELECT row_id, tenant_id, fingerprint_bits(pdq, regions) FROM page
    WHERE fingerprint_bits(pdq, regions) IS NOT NULL ORDER BY row_id ON CONFLICT DO NOTHING
  )
  UPDATE fingerprint_index SET filled_to = (SELECT max(row_id) FROM page), filled = filled + (SELECT count(*) FROM page)
  WHERE tenant_id = $1 AND EXISTS (SELECT FROM page)
  RETURNING filled, total`;

const finish = `
  UPDATE fingerprint_index SET ready_at = now() WHERE tenant_id = $1
  RETURNING filled, total`;

type Counts = Readonly<{ filled: number; total: number }>;

/** Progress of a tenant's index. */
type FillProgress = Readonly<{ tenantId: number; filled: number; total: number; isReady: boolean }>;

/**
 * Takes the next step: starts indexes for tenants with at least `fromImages` images, or copies fingerprints into one.
 * Only one process at a time does this, and any process can continue where another stopped.
 *
 * @returns null if there is nothing to do, or another process is doing it.
 */
export async function fillNext(database: Database, fromImages: number): Promise<FillProgress | 'waiting' | null> {
  return inTransaction(database.pool, async (client) => {
    const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [
      lockKeys.fillHashes,
    ]);
    if (rows[0]?.got !== true) return null;
    await client.query(mark);
    await client.query(begin, [fromImages]);
    const next = (await client.query<{ tenantId: number; canFill: boolean | null }>(unfilled)).rows[0];
    if (next === undefined) return null;
    return next.canFill === true ? fill(client, next.tenantId) : 'waiting';
  });
}

async function fill(client: PoolClient, tenantId: number): Promise<FillProgress> {
  const { rows } = await client.query<Counts>(copy, [tenantId]);
  const [copied] = rows;
  if (copied !== undefined) return { tenantId, ...copied, isReady: false };
  // Without statistics, the planner assumes that parts have few distinct values.
  await client.query('ANALYZE fingerprint_hash');
  const done = await client.query<Counts>(finish, [tenantId]);
  const { filled = 0, total = 0 } = done.rows[0] ?? {};
  return { tenantId, filled, total, isReady: true };
}
