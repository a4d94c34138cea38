import { tenantStatement } from '../tenants/index.ts';
import { unusedHours, uploadLimits } from './limits.ts';

const expiry = `now() + interval '${unusedHours} hours'`;

/** What counts toward the limits of a tenant, apart from the upload `$2`. */
const unused = `
  SELECT count(*) AS files, COALESCE(sum(GREATEST(length, received)), 0) AS bytes FROM upload
  WHERE tenant_id = $1 AND id <> $2 AND used_at IS NULL AND state <> 'removing'`;

const columns = `id, state, name, media_type AS "mediaType", length, received, parts,
  takeovers::float8[] AS takeovers, created_at AS "createdAt",
  expires_at AS "expiresAt", encode(checksum, 'hex') AS checksum`;

const { far } = uploadLimits;

/**
 * `$6`: whether the bytes come in the same request. Then the row need not be flushed on commit: storing the bytes
 * waits for the disk, which by then has the row as well.
 */
const createWhere = (hasRoom: string) => `
   INSERT INTO upload (id, tenant_id, name, media_type, length, expires_at)
   SELECT $2, $1, $3, $4, $5, ${expiry} FROM (${unused}) u WHERE ${hasRoom}
   RETURNING ${columns}, CASE WHEN $6 THEN set_config('synchronous_commit', 'off', true) END`;

/** Starts an upload if the tenant has room. Only one may run at a time. */
export const create = tenantStatement(
  'create-upload',
  createWhere(`u.files < ${uploadLimits.unused} AND u.bytes + COALESCE($5::bigint, 0) <= ${uploadLimits.unusedBytes}`),
);

/** The same far from the limits, where several may run at the same time. */
export const createFar = tenantStatement(
  'create-upload-far-from-limits',
  createWhere(`$5::bigint <= ${far.bytes} AND u.files < ${far.unused} AND u.bytes <= ${far.unusedBytes}`),
);

/** Lets a request store parts after the first `$3` bytes. From now on, no earlier writer can list any. */
export const beginWriting = tenantStatement(
  'begin-writing-upload',
  `UPDATE upload SET takeovers = takeovers || $3::bigint
   WHERE tenant_id = $1 AND id = $2 AND received = $3 AND state = 'receiving' AND cardinality(takeovers) < ${uploadLimits.parts}
   RETURNING ${columns}`,
);

/**
 * Adds `$3` stored bytes after the first `$4`, if nothing else has arrived, no other request has taken over ($6), and
 * the tenant has room. A checksum (`$5`) comes with the last bytes: it completes the upload, unless the tenant
 * already has the file.
 */
export const append = tenantStatement(
  'append-to-upload',
  `UPDATE upload SET received = received + $3, parts = parts || $3::int, expires_at = ${expiry},
     checksum = decode($5, 'hex'), state = CASE WHEN $5 IS NULL THEN state ELSE 'kept' END
   WHERE tenant_id = $1 AND id = $2 AND received = $4 AND state = 'receiving' AND cardinality(takeovers) = $6
     AND (length IS NOT NULL OR $4::bigint + $3 + (SELECT bytes FROM (${unused}) u) <= ${uploadLimits.unusedBytes})
   RETURNING ${columns}`,
);

export const find = tenantStatement(
  'find-upload',
  `SELECT ${columns} FROM upload WHERE tenant_id = $1 AND id = $2 AND (state <> 'removing' OR checksum IS NOT NULL)`,
);

export const findKept = tenantStatement(
  'find-kept-upload',
  `SELECT ${columns} FROM upload WHERE tenant_id = $1 AND checksum = decode($2, 'hex') AND state = 'kept'`,
);

/** Completes an upload, unless the tenant already has the file. */
export const keep = tenantStatement(
  'keep-upload',
  `UPDATE upload SET state = 'kept', length = received, checksum = decode($3, 'hex'), expires_at = ${expiry}
   WHERE tenant_id = $1 AND id = $2 AND state = 'receiving'
   RETURNING ${columns}`,
);

/** The tenant already has this file: keep it as long as if it had just arrived. */
export const renew = tenantStatement(
  'renew-upload',
  `UPDATE upload SET expires_at = GREATEST(expires_at, ${expiry})
   WHERE tenant_id = $1 AND checksum = decode($2, 'hex') AND state = 'kept'`,
);

/**
 * Ends the upload of a file that the tenant already has. The row is kept for a while and still lists the parts,
 * because the process may die before it has removed them.
 */
export const drop = tenantStatement(
  'drop-upload',
  `UPDATE upload SET state = 'removing', length = received, checksum = decode($3, 'hex')
   WHERE tenant_id = $1 AND id = $2 AND state = 'receiving'`,
);

/** Cancels an incomplete upload. */
export const terminate = tenantStatement(
  'terminate-upload',
  `UPDATE upload SET state = 'removing', expires_at = now() WHERE tenant_id = $1 AND id = $2 AND state = 'receiving'`,
);

/** Files by checksum (`$2`), always locked in the same order to avoid deadlocks. */
const kept = (where: string) => `
  SELECT id FROM upload
  WHERE tenant_id = $1 AND checksum IN (SELECT decode(hex, 'hex') FROM unnest($2::text[]) hex) AND state = 'kept' ${where}
  ORDER BY id FOR NO KEY UPDATE`;

/** A write refers to these files: they are kept for a day, and from then on as long as anything refers to them. */
export const renewNamed = tenantStatement(
  'renew-named-uploads',
  `UPDATE upload SET expires_at = GREATEST(expires_at, ${expiry}) WHERE id IN (${kept('')})`,
);

/** Records refer to these files, so they no longer count toward the tenant's limits. */
export const use = tenantStatement(
  'use-uploads',
  `UPDATE upload SET used_at = now() WHERE id IN (${kept('AND used_at IS NULL')})`,
);
