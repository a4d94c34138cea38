import { modelInUse } from '../../catalog/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { VectorModel } from '../index/stored-fingerprints.ts';
import { vectorIndexes } from './vector-index.ts';

/** Which data of a tenant's images is indexed in the database. */
export type FingerprintIndex = Readonly<{
  /** Number of the tenant's images. */
  images: number;
  hasHashes: boolean;
  /** The model in use, if its vectors have an index; otherwise null. */
  vectors: VectorModel | null;
}>;

const read = tenantStatement(
  'fingerprint-index',
  `SELECT COALESCE((SELECT count FROM record_total WHERE tenant_id = $1 AND resource = 'image'), 0) AS images,
          EXISTS (SELECT FROM fingerprint_index WHERE tenant_id = $1 AND ready_at IS NOT NULL) AS "hasHashes",
          (SELECT json_build_object('id', m.id, 'name', m.name, 'dimensions', v.dimensions)
           FROM (${vectorIndexes}) AS v JOIN embedding_model m ON m.id = v.model_id
           WHERE v.tenant_id = $1 AND v.is_valid AND v.model_id = COALESCE(${modelInUse('image')}, v.model_id)
           ORDER BY v.oid DESC LIMIT 1) AS vectors`,
);

/** Returns null if the tenant has no complete index. */
export async function readFingerprintIndex(db: TenantDb): Promise<FingerprintIndex | null> {
  const [found] = (await db.query<FingerprintIndex>(read)).rows;
  return found !== undefined && (found.hasHashes || found.vectors !== null) ? found : null;
}
