import { tenantStatement } from '../../tenants/index.ts';
import { addProgress, insertErrors } from '../statements.ts';

/** A chunk ($3) of the elements of an export. */
export const readElements = tenantStatement(
  'read-exported-elements',
  `SELECT elements, first_position AS "firstPosition" FROM operation_chunk
   WHERE tenant_id = $1 AND operation_id = $2 AND number = $3`,
);

/** Deletes the errors of an earlier attempt; an export that is retried starts over. */
export const forgetAttempt = tenantStatement(
  'forget-export-attempt',
  'DELETE FROM operation_error WHERE tenant_id = $1 AND operation_id = $2',
);

/**
 * Records how many records are in the file so far ($4) and how many failed ($5), with the newest errors ($6), if this
 * process ($3) owns the chunk. No row: the chunk is no longer ours.
 */
export const recordExport = tenantStatement(
  'record-export',
  `WITH counted AS (
     UPDATE operation SET num_good = $4, num_bad = $5
     WHERE tenant_id = $1 AND id = $2 AND state = 'analyzing' AND EXISTS (
       SELECT FROM operation_analysis a
       WHERE a.tenant_id = $1 AND a.operation_id = $2 AND a.begun_by = $3)
     RETURNING id, num_good, num_bad, num_total, num_to_analyze, num_analyzed, num_analysis_bad
   ), faults AS (
     ${insertErrors(6, 'counted')}
   ), event AS (
     ${addProgress({ rarely: false })}
   )
   SELECT id, (SELECT count(*) FROM event) AS notified FROM counted`,
);

/** Records why there is no file: no record counts as exported. */
export const failExport = tenantStatement(
  'fail-export',
  `WITH former AS (
     DELETE FROM operation_error WHERE tenant_id = $1 AND operation_id = $2 AND position > 0
   ), counted AS (
     UPDATE operation SET num_good = 0, num_bad = num_total
     WHERE tenant_id = $1 AND id = $2
   )
   INSERT INTO operation_error AS e (operation_id, position, tenant_id, ref, code, message) SELECT $2, 0, $1, $3, $4, $5
   ON CONFLICT (operation_id, position) DO UPDATE SET code = EXCLUDED.code, message = EXCLUDED.message, field = NULL
     WHERE e.tenant_id = $1`,
);
