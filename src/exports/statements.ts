import { tenantStatement } from '../tenants/index.ts';
import { exportHours, exportLimits, sendingHours } from './limits.ts';

/**
 * Starts the file of an operation ($3). It does not expire before it is complete, because an export may take days.
 * The file of an earlier attempt is removed soon.
 */
export const begin = tenantStatement(
  'begin-export',
  `WITH former AS (
     UPDATE export_file SET expires_at = now() WHERE tenant_id = $1 AND operation_id = $3 AND NOT is_complete
   )
   INSERT INTO export_file (id, tenant_id, operation_id, format, name, expires_at)
   SELECT $2, $1, $3, $4, $5, 'infinity'`,
);

/**
 * Records that a part of `$3` bytes was stored; no row if the tenant has no space left, or the file has been
 * abandoned.
 */
export const appendPart = tenantStatement(
  'append-to-export',
  `UPDATE export_file SET parts = parts || $3::int, byte_size = byte_size + $3
   WHERE tenant_id = $1 AND id = $2 AND expires_at > now()
     AND $3 + (SELECT COALESCE(sum(byte_size), 0) FROM export_file WHERE tenant_id = $1) <= ${exportLimits.tenantBytes}`,
);

/** Total bytes of all tenants. */
export const allBytes = 'SELECT COALESCE(sum(byte_size), 0)::float8 AS bytes FROM export_file';

export const complete = tenantStatement(
  'complete-export',
  `UPDATE export_file SET is_complete = true, num_records = $3, expires_at = now() + interval '${exportHours} hours'
   WHERE tenant_id = $1 AND id = $2 AND expires_at > now()`,
);

const columns = `id, operation_id AS "operationId", format, name, num_records AS "numRecords", byte_size::float8 AS "byteSize",
  parts, created_at AS "createdAt", expires_at AS "expiresAt"`;

const resource = '(SELECT resource FROM operation o WHERE o.tenant_id = $1 AND o.id = operation_id)';

/** Condition for readable files: complete and not expired. */
const readable = 'is_complete AND expires_at > now()';

export const findByOperation = tenantStatement(
  'find-export-of-operation',
  `SELECT ${columns}, ${resource} AS resource FROM export_file WHERE tenant_id = $1 AND operation_id = $2 AND ${readable}`,
);

export const findById = tenantStatement(
  'find-export',
  `SELECT ${columns} FROM export_file WHERE tenant_id = $1 AND id = $2 AND ${readable}`,
);

/** Keeps a readable file while it is being sent. */
export const keepWhileSent = tenantStatement(
  'keep-export-while-sent',
  `UPDATE export_file SET expires_at = GREATEST(expires_at, now() + interval '${sendingHours} hours')
   WHERE tenant_id = $1 AND id = $2 AND ${readable}`,
);

export const remove = tenantStatement('remove-export', 'DELETE FROM export_file WHERE tenant_id = $1 AND id = $2');

/** Files of all tenants to remove, except `$2`: expired ones, and incomplete ones whose operation has finished. */
export const expired = `
  SELECT f.id, f.tenant_id AS "tenantId", f.parts FROM export_file f JOIN operation o ON o.id = f.operation_id
  WHERE (f.expires_at <= $1 OR (NOT f.is_complete AND o.state = 'finished')) AND f.id <> ALL($2::uuid[])
  ORDER BY f.expires_at LIMIT 16`;

export const removeAll = 'DELETE FROM export_file WHERE id = ANY($1::uuid[])';
