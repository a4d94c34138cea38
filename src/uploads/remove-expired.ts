import { inTransaction } from '../backing/index.ts';
import type { Database } from '../backing/index.ts';
import type { StoredParts } from '../storage/index.ts';

/** Files per step; keeps transactions short. */
const batch = 500;

const checksum = `encode(u.checksum, 'hex')`;
const named = (table: string) =>
  `EXISTS (SELECT FROM ${table} r WHERE r.tenant_id = u.tenant_id AND r.src_path LIKE 'upload://%'
           AND substring(r.src_path FROM 10 FOR 64) = ${checksum})`;

const replacedIn = (table: string) =>
  `EXISTS (SELECT FROM ${table} r WHERE r.tenant_id = u.tenant_id AND r.before ->> 'src_path' LIKE 'upload://%'
           AND substring(r.before ->> 'src_path' FROM 10 FOR 64) = ${checksum})`;

/** Files that no record names, nor the history of a record, which can be restored until it is deleted. */
const isUnused = `
  NOT ${named('image')} AND NOT ${named('video')}
  AND NOT ${replacedIn('image_change')} AND NOT ${replacedIn('video_change')}`;

/** Files that an unfinished write names; checked only if nothing else names a file. */
const isAwaited = `
  EXISTS (SELECT FROM operation o JOIN operation_chunk c ON c.operation_id = o.id
          WHERE o.tenant_id = u.tenant_id AND o.state IN ('queued', 'running', 'aborting') AND c.applied_at IS NULL
            AND c.elements::text LIKE '%upload://' || ${checksum} || '%')`;

/**
 * Marks files for removal. A write that is accepted in the meantime renews their expiry first: this statement either waits
 * for that or sees it. A later write does not find the file.
 */
const mark = `
  WITH found AS MATERIALIZED (
    SELECT u.id FROM upload u WHERE u.state = 'kept' AND u.expires_at <= $1 AND ${isUnused} LIMIT ${batch}
  )
  UPDATE upload u SET state = 'removing', checksum = NULL
  WHERE u.id IN (SELECT id FROM found) AND u.state = 'kept' AND u.expires_at <= $1 AND ${isUnused} AND NOT ${isAwaited}`;

const markUnfinished = `UPDATE upload SET state = 'removing' WHERE state = 'receiving' AND expires_at <= $1`;

const marked = `
  SELECT id, tenant_id AS "tenantId", parts, received FROM upload
  WHERE state = 'removing' AND expires_at <= $1 ORDER BY expires_at LIMIT ${batch} FOR UPDATE SKIP LOCKED`;

type Row = StoredParts & Readonly<{ tenantId: number; received: number }>;

/** Removes expired uploads: first they can no longer be found, then their bytes are removed, then their rows. */
export async function removeExpiredUploads(
  { pool }: Database,
  now: Date,
  removeParts: (tenantId: number, upload: Row) => Promise<void>,
  signal?: AbortSignal,
): Promise<number> {
  await pool.query(markUnfinished, [now]);
  await pool.query(mark, [now]);
  let removed = 0;
  for (let found = batch; found === batch && signal?.aborted !== true; removed += found) {
    found = await inTransaction(pool, async (client) => {
      const { rows } = await client.query<Row>(marked, [now]);
      for (const row of rows) await removeParts(row.tenantId, row);
      await client.query('DELETE FROM upload WHERE id = ANY($1::uuid[])', [rows.map(({ id }) => id)]);
      return rows.length;
    });
  }
  return removed;
}
