import { groupBy } from '../lib/group-by.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';

/** Why one element of an operation failed. */
export type ElementFailure = Readonly<{
  position: number;
  ref: string;
  code: string;
  message: string;
  field: string | null;
}>;

/** Why the analysis of a stored element failed, completely or for one `analyzer`. */
export type AnalysisFailure = Omit<ElementFailure, 'field'> & Readonly<{ analyzer: string | null }>;

/** The number of elements of an operation that failed with a code. */
export type ErrorCount = Readonly<{ code: string; count: number }>;

/** A page of a list: `limit` entries from `offset` on. */
export type Part = Readonly<{ limit: number; offset: number }>;

/** Applies the limit to each operation separately, so a page of operations reads only what it shows. */
const statementOf = (name: string, table: string, column: string) =>
  tenantStatement(
    name,
    `SELECT o.id AS "operationId", e.*
     FROM unnest($2::bigint[]) AS o(id)
     CROSS JOIN LATERAL (
       SELECT position, ref, code, message, ${column} FROM ${table}
       WHERE tenant_id = $1 AND operation_id = o.id ORDER BY position LIMIT $3 OFFSET $4
     ) e
     ORDER BY o.id, e.position`,
  );

const findErrors = statementOf('find-operation-errors', 'operation_error', 'field');
const findAnalysisErrors = statementOf('find-analysis-errors', 'operation_analysis_error', 'analyzer');

/** Failed elements of an operation, by position. Operations of the same page are read together. */
export const elementFailures = failuresBy<ElementFailure>(findErrors);

/** Stored elements of an operation whose analysis failed, by position. */
export const analysisFailures = failuresBy<AnalysisFailure>(findAnalysisErrors);

const countErrors = tenantStatement(
  'count-operation-errors',
  `SELECT operation_id AS "operationId", code, count(*)::int AS count FROM operation_error
   WHERE tenant_id = $1 AND operation_id = ANY ($2::bigint[]) GROUP BY 1, 2 ORDER BY count DESC, code`,
);

/** Failed elements of an operation by code, most frequent first. Operations of the same page are counted together. */
export async function errorCounts(db: TenantDb, operationId: bigint): Promise<readonly ErrorCount[]> {
  const load = async (ids: readonly string[]) =>
    byOperation((await db.query<OfOperation<ErrorCount>>(countErrors, [ids])).rows);
  return (await db.batchLoad(countErrors.name, String(operationId), load)) ?? [];
}

type Failures<T> = (db: TenantDb, operationId: bigint, part: Part) => Promise<readonly T[]>;
type OfOperation<T> = T & Readonly<{ operationId: number }>;

function failuresBy<T>(statement: typeof findErrors): Failures<T> {
  return async (db, operationId, { limit, offset }) => {
    const load = async (ids: readonly string[]) =>
      byOperation((await db.query<OfOperation<T>>(statement, [ids, limit, offset])).rows);
    return (await db.batchLoad(`${statement.name} ${limit} ${offset}`, String(operationId), load)) ?? [];
  };
}

function byOperation<T>(rows: readonly OfOperation<T>[]): ReadonlyMap<string, readonly T[]> {
  return groupBy(rows, ({ operationId }) => String(operationId));
}
