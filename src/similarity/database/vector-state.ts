import type pg from 'pg';
import type { Placement } from '../index/search-index.ts';
import { fromImages, mostVectorIndexes } from './limits.ts';
import { vectorIndexes } from './vector-index.ts';
import { faultOf, readVectorSupport } from './vector-support.ts';
import type { VectorFault } from './vector-support.ts';

/** Progress of a database's vector indexes. */
export type VectorState = Readonly<{
  /** Tenants that need one. */
  wanted: number;
  /** Tenants that have one. */
  built: number;
  /** Number of vectors in the index being built now; null if none is. */
  building: number | null;
  /** Why the rest cannot be built. `superuser`: the extension is missing, and the current user may not create it. */
  fault: VectorFault | null;
  version: string | null;
}>;

const counts = `
  SELECT LEAST((SELECT count(*) FROM record_total WHERE resource = 'image' AND count >= $1), ${mostVectorIndexes})::int AS wanted,
         (SELECT count(DISTINCT tenant_id) FROM (${vectorIndexes}) AS v WHERE is_valid)::int AS built,
         (SELECT max(p.tuples_done) FROM pg_stat_progress_create_index p JOIN (${vectorIndexes}) AS v ON v.oid = p.index_relid) AS building,
         (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "isSuperuser"`;

type Row = Pick<VectorState, 'wanted' | 'built'> & Readonly<{ building: string | number | null; isSuperuser: boolean }>;

/** Returns null if all similarity searches run in memory. */
export async function readVectorState(client: pg.ClientBase, placement: Placement): Promise<VectorState | null> {
  if (placement.mode === 'memory') return null;
  const support = await readVectorSupport(client);
  const { wanted, built, building, isSuperuser } = (await client.query<Row>(counts, [fromImages(placement)]))
    .rows[0] as Row;
  const known = faultOf(support);
  const fault = known === null && support.installed === null && !isSuperuser ? 'superuser' : known;
  const version = support.installed ?? support.available;
  return { wanted, built, building: building === null ? null : Number(building), fault, version };
}
