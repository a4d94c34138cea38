import type { TenantDb } from '../tenants/index.ts';
import { checksumIn } from './address.ts';
import { use } from './statements.ts';

/** Records that a write names these files, before it is accepted: none of them is removed from then on. */
export async function useUploads(db: TenantDb, srcPaths: readonly string[]): Promise<void> {
  const checksums = new Set(srcPaths.flatMap((path) => checksumIn(path) ?? []));
  if (checksums.size > 0) await db.query(use, [[...checksums]]);
}
