import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';

/** A tenant's index of hashes in the database. */
export type FingerprintIndex = Readonly<{
  /** Images of the tenant. */
  images: number;
}>;

const ready = tenantStatement(
  'fingerprint-index',
  `SELECT COALESCE(t.count, 0) AS images FROM fingerprint_index i
   LEFT JOIN record_total t ON t.tenant_id = i.tenant_id AND t.resource = 'image'
   WHERE i.tenant_id = $1 AND i.ready_at IS NOT NULL`,
);

/** Null if the tenant has no index, or not all of its hashes are in it. */
export async function readFingerprintIndex(db: TenantDb): Promise<FingerprintIndex | null> {
  return (await db.query<FingerprintIndex>(ready)).rows[0] ?? null;
}
