import { inTransaction } from '../backing/index.ts';
import type { Database } from '../backing/index.ts';
import { mergeFacetChanges, mergeWordChanges } from '../catalog/index.ts';
import { repeat } from '../lib/repeat.ts';
import { createFaultReporter } from './run/report-fault.ts';
import type { WorkerDeps } from './worker-deps.ts';

/**
 * Milliseconds between merges. Whoever reads a total adds the changes since the last merge, at a microsecond per
 * value.
 */
const everyMs = 1_000;

const merges = { facet: mergeFacetChanges, word: mergeWordChanges } as const;

const waiting = Object.keys(merges)
  .map((kind) => `SELECT DISTINCT '${kind}' AS kind, tenant_id AS "tenantId" FROM ${kind}_change`)
  .join(' UNION ALL ');

type TotalsMerging = Readonly<{ close(): Promise<void> }>;

/** Repeatedly merges the changes that writes made to facets and common words into their totals. */
export function startMergingTotals(deps: Pick<WorkerDeps, 'database' | 'logger'>): TotalsMerging {
  const merge = (signal: AbortSignal) => mergeAllTotals(deps.database, signal);
  return { close: repeat(merge, everyMs, createFaultReporter(deps, 'cannot merge the totals of facets and words')) };
}

/** Merges the changes of all tenants. */
export async function mergeAllTotals({ pool }: Database, signal?: AbortSignal): Promise<void> {
  const { rows } = await pool.query<{ kind: keyof typeof merges; tenantId: number }>(waiting);
  for (const { kind, tenantId } of rows) {
    while (!signal?.aborted && (await inTransaction(pool, (client) => merges[kind](client, tenantId))));
  }
}
