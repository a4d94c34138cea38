import type { Database } from '../../backing/index.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { AnalysisChunk } from './chunk.ts';
import { analysisChunksAhead, chunksOfTenant, oldestEvery, parallelTenants } from './limits.ts';
import { claimChunks } from './statements.ts';

/** Claims chunks of all tenants for one process. */
export type Claims = Readonly<{
  /** Chunks that this process may work on now, in addition to those `atWork`. */
  next: (atWork: readonly AnalysisChunk[]) => Promise<readonly AnalysisChunk[]>;
}>;

/**
 * How a process chooses chunks: each tenant may have a limited number in progress, and a few more of lower rank.
 * Every fourth chunk of a tenant comes from its oldest operation, so that a large one does not wait behind small ones
 * forever.
 */
export function createClaims({ pool }: Database, processId: string, workers: number): Claims {
  let claimed = 0;
  /** Chunks taken per tenant since the last one that came from its oldest operation. */
  const sinceOldest = new Map<number, number>();

  return {
    async next(atWork) {
      const chunks = groupBy(atWork, ({ tenantId }) => tenantId);
      const enough = [...chunks].filter(([, { length }]) => length >= chunksOfTenant(workers));
      const haveEnough = new Set(enough.map(([id]) => id));
      const below = enough.map(([, ofTenant]) => rankBelow(ofTenant, workers));
      const isDue = (id: number) => (sinceOldest.get(id) ?? 0) >= oldestEvery - 1 && !haveEnough.has(id);
      const oldest = [...sinceOldest.keys()].filter(isDue);
      const room = parallelTenants - chunks.size + 1;
      const values = [processId, [...haveEnough], below, oldest, room];
      const { rows } = await pool.query<Omit<AnalysisChunk, 'order'>>(claimChunks, values);
      for (const { tenantId: id } of rows) {
        if (isDue(id)) sinceOldest.delete(id);
        else sinceOldest.set(id, (sinceOldest.get(id) ?? 0) + 1);
      }
      return rows.map((row) => ({ ...row, order: (claimed += 1) }));
    },
  };
}

/** The rank below which a tenant with enough chunks in progress may still get a few more; 0 for none. */
function rankBelow(chunks: readonly AnalysisChunk[], workers: number): number {
  if (chunks.length >= chunksOfTenant(workers) + analysisChunksAhead) return 0;
  return Math.max(...chunks.map(({ rank }) => rank));
}
