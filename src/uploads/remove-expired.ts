import type { Database } from '../backing/index.ts';
import { removeFiles } from '../storage/index.ts';
import type { FileStore, OwnedParts } from '../storage/index.ts';

/** Uploads per statement; keeps transactions short. */
const batch = 1_000;

/** Files removed in parallel. */
const filesAtOnce = 16;

const checksum = `encode(u.checksum, 'hex')`;
const named = (table: string) =>
  `EXISTS (SELECT FROM ${table} r WHERE r.tenant_id = u.tenant_id AND r.src_path LIKE 'upload://%'
           AND substring(r.src_path FROM 10 FOR 64) = ${checksum})`;

const replacedIn = (table: string) =>
  `EXISTS (SELECT FROM ${table} r WHERE r.tenant_id = u.tenant_id AND r.before ->> 'src_path' LIKE 'upload://%'
           AND substring(r.before ->> 'src_path' FROM 10 FOR 64) = ${checksum})`;

/**
 * Files that neither a record nor its history refers to. Until its history is deleted, a record can be restored from
 * it.
 */
const isUnused = `
  NOT ${named('image')} AND NOT ${named('video')}
  AND NOT ${replacedIn('image_change')} AND NOT ${replacedIn('video_change')}`;

/** Files that an unfinished write refers to; checked only if nothing else does. */
const isAwaited = `
  EXISTS (SELECT FROM operation o JOIN operation_chunk c ON c.operation_id = o.id
          WHERE o.tenant_id = u.tenant_id AND o.state IN ('queued', 'running', 'aborting') AND c.applied_at IS NULL
            AND c.elements::text LIKE '%upload://' || ${checksum} || '%')`;

/**
 * Looks at the next complete files after the expiry `$2` and the id `$3`, and marks for removal those that nothing
 * refers to. A write accepted in the meantime renews their expiry first, so this statement either waits for it or
 * sees it. A later write no longer finds the file. Returns the last file that it looked at.
 */
const mark = `
  WITH seen AS MATERIALIZED (
    SELECT id, expires_at FROM upload
    WHERE state = 'kept' AND expires_at <= $1 AND (expires_at, id) > ($2::timestamptz, $3::uuid)
    ORDER BY expires_at, id LIMIT ${batch}
  ), found AS MATERIALIZED (
    SELECT u.id FROM upload u WHERE u.id IN (SELECT id FROM seen) AND ${isUnused}
  ), marked AS (
    UPDATE upload u SET state = 'removing', checksum = NULL
    WHERE u.id IN (SELECT id FROM found) AND u.state = 'kept' AND u.expires_at <= $1 AND ${isUnused} AND NOT ${isAwaited}
  )
  SELECT expires_at::text AS "expiresAt", id FROM seen ORDER BY seen.expires_at DESC, id DESC LIMIT 1`;

type Seen = Readonly<{ expiresAt: string; id: string }>;

/** Sorts before all files. */
const none: Seen = { expiresAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

const markUnfinished = `
  UPDATE upload SET state = 'removing'
  WHERE state = 'receiving' AND expires_at <= $1
    AND id IN (SELECT id FROM upload WHERE state = 'receiving' AND expires_at <= $1 ORDER BY expires_at LIMIT ${batch})`;

const marked = `
  SELECT id, tenant_id AS "tenantId", parts, takeovers::float8[] AS takeovers FROM upload
  WHERE state = 'removing' AND expires_at <= $1 AND id <> ALL($2::uuid[]) ORDER BY expires_at LIMIT ${filesAtOnce}`;

/** Removes expired uploads: first they can no longer be found, then their bytes are removed, then their rows. */
export async function removeExpiredUploads(
  { pool }: Database,
  store: FileStore,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  while (signal?.aborted !== true && ((await pool.query(markUnfinished, [now])).rowCount ?? 0) > 0);
  for (let last: Seen | undefined = none; signal?.aborted !== true && last !== undefined;) {
    last = (await pool.query<Seen>(mark, [now, last.expiresAt, last.id])).rows[0];
  }
  return removeFiles(store, {
    next: async (failed) => (await pool.query<OwnedParts>(marked, [now, failed])).rows,
    drop: async (ids) => (await pool.query('DELETE FROM upload WHERE id = ANY($1::uuid[])', [ids])).rowCount ?? 0,
    signal,
  });
}
