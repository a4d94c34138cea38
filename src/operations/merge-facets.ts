import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction } from '../backing/index.ts';
import type { Database } from '../backing/index.ts';
import { mergeFacetChanges } from '../catalog/index.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** Between two merges: readers of a facet add up what was changed until then, a microsecond a value. */
const everyMs = 1_000;

const waiting = 'SELECT DISTINCT tenant_id AS "tenantId" FROM facet_change';

export type FacetMerging = Readonly<{ close(): Promise<void> }>;

/** Merges what writes have changed in facets into their totals, again and again. */
export function startFacetMerging({ database, logger }: Pick<WorkerDeps, 'database' | 'logger'>): FacetMerging {
  const closing = new AbortController();
  const run = async () => {
    while (!closing.signal.aborted) {
      await sleep(everyMs, null, { signal: closing.signal, ref: false }).catch(() => {}); // Closing.
      await mergeAllFacets(database, closing.signal).catch((error: unknown) =>
        logger.warn({ error: String(error) }, 'cannot merge the totals of facets'),
      );
    }
  };
  const running = run();
  return {
    async close() {
      closing.abort();
      await running;
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
