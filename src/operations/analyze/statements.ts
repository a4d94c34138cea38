import { tenantStatement } from '../../tenants/index.ts';
import { addProgress, onBehalfOf } from '../statements.ts';
import { maxAnalysisWarnings } from '../submit/warnings.ts';
import { elementsOfChunk, taskRank } from './limits.ts';

/**
 * Enqueues stored elements for analysis, in the transaction that stores them. They get chunks of their own, small
 * enough for several workers to share a batch. Chunk numbers keep the order, and differ from those of earlier
 * versions, which enqueued a stored chunk (0 to 49) as a whole and may still run alongside this one. A chunk without
 * elements is a task.
 */
export const enqueueAnalysis = tenantStatement(
  'enqueue-analysis',
  `WITH added AS (
     INSERT INTO operation_analysis (operation_id, number, tenant_id, rank, positions, refs)
     SELECT o.id, ($3::int + 1) * 1000 + part, $1,
            CASE WHEN cardinality($4::int[]) = 0 THEN ${taskRank} WHEN o.do_urgent THEN 0 ELSE length(o.num_total::text) END,
            ($4::int[])[part * ${elementsOfChunk} + 1 : (part + 1) * ${elementsOfChunk}],
            ($5::text[])[part * ${elementsOfChunk} + 1 : (part + 1) * ${elementsOfChunk}]
     FROM operation o, generate_series(0, greatest(0, (cardinality($4::int[]) - 1) / ${elementsOfChunk})) AS part
     WHERE o.tenant_id = $1 AND o.id = $2
   )
   UPDATE operation SET num_to_analyze = num_to_analyze + cardinality($4::int[]) WHERE tenant_id = $1 AND id = $2`,
);

/** Ends the store stage of an operation that has elements left to analyze. No row: it has none. */
export const leaveToAnalysis = tenantStatement(
  'leave-to-analysis',
  `UPDATE operation SET state = 'analyzing'
   WHERE tenant_id = $1 AND id = $2 AND state = 'running'
     AND EXISTS (SELECT FROM operation_analysis WHERE tenant_id = $1 AND operation_id = $2)`,
);

/** Drops what is left to analyze; the records become `stale`, meaning that they need analysis. */
export const dropAnalysis = tenantStatement(
  'drop-analysis',
  `WITH dropped AS (
     DELETE FROM operation_analysis WHERE tenant_id = $1 AND operation_id = $2 RETURNING refs
   ), refs AS (
     SELECT unnest(refs) AS ref, o.resource FROM dropped, operation o WHERE o.tenant_id = $1 AND o.id = $2
   ), videos AS (
     UPDATE video SET ai_status = 'stale' WHERE tenant_id = $1 AND ai_status = 'pending'
       AND video_id IN (SELECT ref FROM refs WHERE resource = 'video')
   )
   UPDATE image SET ai_status = 'stale' WHERE tenant_id = $1 AND ai_status = 'pending'
     AND image_id IN (SELECT ref FROM refs WHERE resource = 'image')`,
);

/** The waiting chunk of tenant `t` that comes first in the order of one of the indexes of waiting chunks. */
const firstChunk = (order: string, condition: string) => `
  SELECT * FROM (
    SELECT a.operation_id, a.number FROM operation_analysis a
    WHERE a.tenant_id BETWEEN t.id AND t.id AND a.begun_by IS NULL AND ${condition}
    ORDER BY a.tenant_id, ${order} LIMIT 1 FOR UPDATE SKIP LOCKED
  ) AS first`;

/** Greater than any rank. */
const anyRank = 100;

/**
 * Claims one waiting chunk from each of several tenants, $5 at most. Tasks come first, then urgent operations, then
 * those whose element count has fewer digits, then the order of arrival; for the tenants in $4, the oldest operation
 * comes first. Tenants in $2 have enough chunks in progress here: only chunks with a rank below that in $3 are taken
 * from them. Not bound to one tenant, because workers scan all of them. The tenant is compared as a range and is part
 * of the order, so that PostgreSQL can only use the indexes of waiting chunks. Otherwise, if all waiting chunks
 * belong to one tenant, it assumes the same of every tenant and would scan all of them for each of the others.
 */
export const claimChunks = `
  WITH wanted AS (
    SELECT c.operation_id, c.number
    FROM tenant t LEFT JOIN unnest($2::int[], $3::int[]) AS enough(tenant_id, below) ON enough.tenant_id = t.id
    CROSS JOIN LATERAL (SELECT enough.below IS NULL AND t.id = ANY($4::int[]) AS is_oldest) AS turn
    CROSS JOIN LATERAL (
      ${firstChunk('a.operation_id, a.number', 'turn.is_oldest')}
      UNION ALL
      ${firstChunk('a.rank, a.operation_id, a.number', `NOT turn.is_oldest AND a.rank < COALESCE(enough.below, ${anyRank})`)}
    ) c
    ORDER BY random() LIMIT $5
  )
  UPDATE operation_analysis a SET begun_by = $1 FROM wanted, operation o
  WHERE a.operation_id = wanted.operation_id AND a.number = wanted.number AND o.id = a.operation_id
  RETURNING a.tenant_id AS "tenantId", a.operation_id AS "operationId", a.number, a.rank, a.positions, a.refs,
            COALESCE(a.done, '{}') AS done, a.deaths, o.kind`;

/** Returns chunks of dead processes to the queue; the death count of the element being tried goes up by one. */
export const orphanedChunks = `
  UPDATE operation_analysis SET begun_by = NULL, trying = NULL, deaths = COALESCE(deaths, '{}') || CASE
    WHEN trying IS NULL THEN '{}'
    ELSE jsonb_build_object(trying, COALESCE((deaths ->> trying::text)::int, 0) + 1) END
  WHERE begun_by IS NOT NULL AND NOT EXISTS (SELECT FROM service_process p WHERE p.id = begun_by)`;

/**
 * Returns to the queue the chunks that are marked as this process's ($1) except those it works on ($2, $3): their
 * work ended early, or the reply to their claim was lost.
 */
export const forgottenChunks = `
  UPDATE operation_analysis SET begun_by = NULL, trying = NULL
  WHERE begun_by = $1 AND (operation_id, number) NOT IN (SELECT * FROM unnest($2::bigint[], $3::int[]))`;

/** Returns the unfinished chunks of a closing worker to the queue, without marking any element. */
export const returnChunks = 'UPDATE operation_analysis SET begun_by = NULL, trying = NULL WHERE begun_by = $1';

/** Marks the element that is being tried, if this process ($5) owns the chunk. */
export const markAnalysis = tenantStatement(
  'mark-analysis',
  `UPDATE operation_analysis SET trying = $4
   WHERE tenant_id = $1 AND operation_id = $2 AND number = $3 AND begun_by = $5
   RETURNING set_config('synchronous_commit', 'off', true)`,
);

/** Fence at the start of each transaction that stores results. No row: the chunk is lost, or the operation is over. */
export const holdAnalysis = tenantStatement(
  'hold-analysis',
  `SELECT o.state, ${onBehalfOf('o', ':analysis')} FROM operation o
   WHERE o.tenant_id = $1 AND o.id = $2 AND o.state NOT IN ('finished', 'aborting') AND EXISTS (
     SELECT FROM operation_analysis a
     WHERE a.tenant_id = $1 AND a.operation_id = $2 AND a.number = $3 AND a.begun_by = $4
   ) FOR UPDATE OF o`,
);

const warningColumns = 'code text, field text, count int, position int, message text';

/** Merges warnings of an operation with those in $8: unknown fields, then the most frequent analysis warnings. */
const allWarnings = `
  SELECT jsonb_agg(summed.one ORDER BY NOT is_field, rank) FROM (
    SELECT jsonb_build_object('code', code, 'field', field, 'count', sum(count), 'position', min(position),
                              'message', (array_agg(message ORDER BY position))[1]) AS one,
           row_number() OVER (PARTITION BY code = 'unknown_field' ORDER BY sum(count) DESC, min(position), field) AS rank,
           code = 'unknown_field' AS is_field
    FROM (
      SELECT * FROM jsonb_to_recordset(COALESCE(operation.warnings, '[]')) AS former(${warningColumns})
      UNION ALL SELECT * FROM json_to_recordset($8::json) AS found(${warningColumns})
    ) AS each GROUP BY code, field
  ) AS summed WHERE is_field OR rank <= ${maxAnalysisWarnings}`;

/**
 * Records counters, errors and the marks of elements ($4), in the transaction that stores their results; logs at most
 * two events per second. Results are stored a moment after they arrive, when another element may already be marked as
 * being tried: that mark stays. Warnings ($8) are added up by code and field.
 */
export const recordAnalysis = tenantStatement(
  'record-analysis',
  `WITH chunk AS (
     UPDATE operation_analysis SET done = COALESCE(done, '{}') || $4::int[],
       trying = CASE WHEN trying = ANY($4::int[]) THEN NULL ELSE trying END
     WHERE tenant_id = $1 AND operation_id = $2 AND number = $3
   ), counted AS (
     UPDATE operation SET num_analyzed = num_analyzed + $5, num_analysis_bad = num_analysis_bad + $6,
       warnings = CASE WHEN json_array_length($8::json) = 0 THEN warnings ELSE (${allWarnings}) END
     WHERE tenant_id = $1 AND id = $2
     RETURNING num_good, num_bad, num_total, num_to_analyze, num_analyzed, num_analysis_bad
   ), faults AS (
     INSERT INTO operation_analysis_error (operation_id, position, tenant_id, ref, analyzer, code, message)
     SELECT $2, e.position, $1, e.ref, e.analyzer, e.code, e.message
     FROM json_to_recordset($7::json) AS e(position int, ref text, analyzer text, code text, message text)
   )
   ${addProgress({ rarely: true })}`,
);

export const endChunk = tenantStatement(
  'end-analysis-chunk',
  'DELETE FROM operation_analysis WHERE tenant_id = $1 AND operation_id = $2 AND number = $3',
);

/** Whether an operation that is fully stored is also fully analyzed. */
export const isAnalyzed = tenantStatement(
  'is-analyzed',
  `SELECT FROM operation WHERE tenant_id = $1 AND id = $2 AND state = 'analyzing' AND NOT EXISTS (
     SELECT FROM operation_analysis WHERE tenant_id = $1 AND operation_id = $2
   )`,
);
