import { inTransaction } from '../backing/index.ts';
import type { Database } from '../backing/index.ts';
import { mergeFacetChanges } from '../catalog/index.ts';
import { repeat } from './repeat.ts';
import { createFaultReporter } from './run/report-fault.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** Between two merges: readers of a facet add up what was changed until then, a microsecond a value. */
const everyMs = 1_000;

const waiting = 'SELECT DISTINCT tenant_id AS "tenantId" FROM facet_change';

export type FacetMerging = Readonly<{ close(): Promise<void> }>;

/** Merges what writes have changed in facets into their totals, again and again. */
export function startFacetMerging(deps: Pick<WorkerDeps, 'database' | 'logger'>): FacetMerging {
  const closing = new AbortController();
  const merge = () => mergeAllFacets(deps.database, closing.signal);
  const stop = repeat(merge, everyMs, createFaultReporter(deps, 'cannot merge the totals of facets'));
  return {
    close() {
      closing.abort();
      return stop();
    },
  };
}

/** Merges the changes of all tenants. */
export async function mergeAllFacets({ pool }: Database, signal?: AbortSignal): Promise<void> {
  const { rows } = await pool.query<{ tenantId: number }>(waiting);
  for (const { tenantId } of rows) {
    while (!signal?.aborted && (await inTransaction(pool, (client) => mergeFacetChanges(client, tenantId))));
  }
}
