import { hexOf } from '../../lib/hex-of.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { pdqBytes } from '../index/block.ts';
import type { Query } from '../index/scan.ts';
import type { Hit } from '../index/similarity-index.ts';
import { mostIndexedDistance, probesWithin } from './hash-parts.ts';

export type HashQuery = Extract<Query, { kind: 'hashes' }>;

/** Whether the index of hash parts can answer a query. */
export function isIndexed({ atMost }: HashQuery): boolean {
  return atMost <= mostIndexedDistance;
}

const within = tenantStatement(
  'fingerprints-within',
  `SELECT near.id, near.distance AS value
   FROM fingerprints_within($1, $2::text[], $3::int[], $4::int[], $5) AS near
   JOIN image_fingerprint f ON f.tenant_id = $1 AND f.row_id = near.id
   WHERE LEAST(f.pdq_quality, 100::int2) >= $6`,
);

/** Finds all images whose hash is near one of the query's hashes, just as a scan in memory does. */
export async function findHashes(db: TenantDb, { hashes, atMost, minQuality }: HashQuery): Promise<Hit[]> {
  const texts = Array.from({ length: hashes.length / pdqBytes }, (_, k) => {
    return `x${hexOf(hashes.subarray(k * pdqBytes, (k + 1) * pdqBytes))}`;
  });
  const { masks, counts } = probesWithin(atMost);
  return (await db.query<Hit>(within, [texts, masks, counts, atMost, minQuality])).rows;
}
