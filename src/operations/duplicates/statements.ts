import { tenantStatement } from '../../tenants/index.ts';
import { addProgress } from '../statements.ts';

/** The request, as stored in the payload. */
export const readRequest = tenantStatement(
  'read-duplicate-request',
  'SELECT elements FROM operation_chunk WHERE tenant_id = $1 AND operation_id = $2 AND number = 0',
);

/**
 * Records the number of images ($4) and how many of them have been searched ($5), if this process ($3) owns the
 * chunk; logs at most two events per second. No row: the chunk is no longer ours.
 */
export const recordSearch = tenantStatement(
  'record-duplicate-search',
  `WITH counted AS (
     UPDATE operation SET num_total = $4, num_to_analyze = $4, num_analyzed = $5
     WHERE tenant_id = $1 AND id = $2 AND state = 'analyzing' AND EXISTS (
       SELECT FROM operation_analysis a
       WHERE a.tenant_id = $1 AND a.operation_id = $2 AND a.begun_by = $3)
     RETURNING id, num_good, num_bad, num_total, num_to_analyze, num_analyzed, num_analysis_bad
   ), event AS (
     ${addProgress({ rarely: true })}
   )
   SELECT id, (SELECT count(*) FROM event) AS notified FROM counted`,
);

/** Counts every image as searched. */
export const countSearched = tenantStatement(
  'count-searched',
  'UPDATE operation SET num_good = num_total, num_analyzed = num_to_analyze WHERE tenant_id = $1 AND id = $2',
);

export const keepSearch = tenantStatement(
  'keep-duplicate-search',
  `INSERT INTO duplicate_search (operation_id, tenant_id, formula, tier, distance, num_images, num_groups, num_grouped)
   SELECT $2, $1, $3, $4, $5, $6, 0, 0`,
);

/** Stores members of groups: group numbers ($3), rows ($4) and distances ($5; -1 for none). Deleted images are skipped. */
export const keepMembers = tenantStatement(
  'keep-duplicate-members',
  `INSERT INTO duplicate_member (operation_id, number, row_id, tenant_id, distance)
   SELECT $2, g.number, g.row_id, $1, NULLIF(g.distance, -1)
   FROM unnest($3::int[], $4::bigint[], $5::smallint[]) AS g(number, row_id, distance)
   JOIN image i ON i.tenant_id = $1 AND i.row_id = g.row_id`,
);

export const keepGroups = tenantStatement(
  'keep-duplicate-groups',
  `WITH grouped AS (
     INSERT INTO duplicate_group (operation_id, number, tenant_id, size)
     SELECT $2, number, $1, count(*) FROM duplicate_member WHERE tenant_id = $1 AND operation_id = $2
     GROUP BY number HAVING count(*) > 1
     RETURNING size
   )
   UPDATE duplicate_search
   SET num_groups = (SELECT count(*) FROM grouped), num_grouped = (SELECT COALESCE(sum(size), 0) FROM grouped)
   WHERE tenant_id = $1 AND operation_id = $2`,
);

/** Records why the search failed. */
export const failSearch = tenantStatement(
  'fail-duplicate-search',
  `WITH counted AS (
     UPDATE operation SET num_total = greatest(num_total, 1), num_bad = 1, num_to_analyze = 0, num_analyzed = 0
     WHERE tenant_id = $1 AND id = $2
   )
   INSERT INTO operation_error (operation_id, position, tenant_id, ref, code, message)
   SELECT $2, 0, $1, 'duplicates', $3, $4`,
);
