import { tenantStatement } from '../../tenants/index.ts';
import { leaseSeconds } from '../limits.ts';
import { addProgress, insertErrors, onBehalfOf } from '../statements.ts';

export const lockOperation = tenantStatement(
  'lock-operation',
  'SELECT state FROM operation WHERE tenant_id = $1 AND id = $2 FOR UPDATE',
);

/**
 * Fence of each transaction that stores: locks the operation, renews the lease, and keeps out a worker that has lost
 * it ($3). No row: the lease is lost.
 */
export const holdOperation = tenantStatement(
  'hold-operation',
  `WITH lease AS (
     UPDATE tenant_lease SET expires_at = now() + interval '${leaseSeconds} s'
     WHERE tenant_id = $1 AND lease_id = $3 RETURNING tenant_id
   )
   SELECT o.state, t.max_images AS "maxImages", t.max_videos AS "maxVideos", t.analysis, ${onBehalfOf('o')}
   FROM operation o, lease, tenant t WHERE t.id = $1 AND o.tenant_id = $1 AND o.id = $2 FOR UPDATE OF o`,
);

/**
 * Like `holdOperation` but without locks, for a transaction that only holds the operation at its end; also sets the
 * author.
 */
export const operationSettings = tenantStatement(
  'read-operation-settings',
  `SELECT o.state, t.max_images AS "maxImages", t.max_videos AS "maxVideos", t.analysis, ${onBehalfOf('o')}
   FROM operation o, tenant_lease l, tenant t
   WHERE t.id = $1 AND o.tenant_id = $1 AND o.id = $2 AND l.tenant_id = $1 AND l.lease_id = $3`,
);

/**
 * Records counters, errors, unchanged elements and that the chunks are done, in the transaction that wrote their
 * records. $8 has the elements that matched an existing record; those without a change in the history count as
 * unchanged. Earlier faults no longer count, unless elements are stored one by one because of them ($9).
 */
export const recordChunk = tenantStatement(
  'record-chunk',
  `WITH chunk AS (
     UPDATE operation_chunk SET applied_at = now()
     WHERE tenant_id = $1 AND operation_id = $2 AND number = ANY($3::int[]) AND applied_at IS NULL
     RETURNING number
   ), counted AS (
     UPDATE operation SET num_good = num_good + $4, num_bad = num_bad + $5, num_created = num_created + $6,
       num_faults = CASE WHEN $9 THEN num_faults ELSE 0 END, first_fault_at = CASE WHEN $9 THEN first_fault_at END
     WHERE tenant_id = $1 AND id = $2 AND EXISTS (SELECT FROM chunk)
     RETURNING num_good, num_bad, num_total, num_to_analyze
   ), faults AS (
     ${insertErrors(7, 'chunk')}
   ), unchanged AS (
     INSERT INTO operation_unchanged (operation_id, position, tenant_id, row_id, ref)
     SELECT $2, e.position, $1, e.row, e.ref FROM json_to_recordset($8::json) AS e(position int, ref text, row bigint)
     WHERE EXISTS (SELECT FROM chunk)
       AND NOT EXISTS (SELECT FROM image_change c WHERE c.tenant_id = $1 AND c.row_id = e.row AND c.operation_id = $2)
       AND NOT EXISTS (SELECT FROM video_change c WHERE c.tenant_id = $1 AND c.row_id = e.row AND c.operation_id = $2)
   ), event AS (
     ${addProgress({ rarely: false })}
   )
   SELECT (SELECT count(*) FROM chunk)::int AS applied, EXISTS (
     SELECT FROM operation_chunk
     WHERE tenant_id = $1 AND operation_id = $2 AND applied_at IS NULL AND number <> ALL($3::int[])
   ) AS "hasMore", EXISTS (
     SELECT FROM operation_analysis WHERE tenant_id = $1 AND operation_id = $2
   ) AS "isAnalyzing"`,
);
