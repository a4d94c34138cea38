import type { Database } from '../../backing/index.ts';
import { resources } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';

/** Rows per statement: keeps locks and rollbacks short when the process ends. */
const batchRows = 1_000;

/** Records analyzed by another set of analyzers, in index order; `$2` and `$3` are the last row of the previous batch. */
const nextRows = (resource: Resource) => `
  SELECT signature, row_id AS "rowId" FROM ${resource}_analysis
  WHERE signature <> $1 AND (signature, row_id) > ($2, $3::bigint) ORDER BY signature, row_id LIMIT ${batchRows}`;

const markRows = (resource: Resource) =>
  `UPDATE ${resource} SET ai_status = 'stale' WHERE row_id = ANY($1::bigint[]) AND ai_status = 'ready'`;

/**
 * Marks records of all tenants that were analyzed by other versions, so that they can be found and analyzed again.
 *
 * @returns how many records have become stale.
 */
export async function markStale(database: Database, signature: string, signal: AbortSignal): Promise<number> {
  let marked = 0;
  for (const resource of resources) marked += await markStaleOf(resource, database, signature, signal);
  return marked;
}

async function markStaleOf(
  resource: Resource,
  { pool }: Database,
  signature: string,
  signal: AbortSignal,
): Promise<number> {
  let marked = 0;
  let last: Readonly<{ signature: string; rowId: number }> = { signature: '', rowId: 0 };
  while (!signal.aborted) {
    const { rows } = await pool.query<typeof last>(nextRows(resource), [signature, last.signature, last.rowId]);
    if (rows.length > 0)
      marked += (await pool.query(markRows(resource), [rows.map(({ rowId }) => rowId)])).rowCount ?? 0;
    if (rows.length < batchRows) break;
    last = rows.at(-1) ?? last;
  }
  return marked;
}
