import type { Queryable } from '../backing/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { checksumIn } from './address.ts';
import { renewNamed, use } from './statements.ts';

/** Keeps the files that a write names, before it is accepted: none of them is removed from then on. */
export async function keepUploads(db: TenantDb, srcPaths: readonly string[]): Promise<void> {
  const checksums = checksumsIn(srcPaths);
  if (checksums.length > 0) await db.query(renewNamed, [checksums]);
}

/**
 * Marks the files that records name as used, in the transaction that stores the records: files of dry runs and of writes that
 * fail go on counting toward the limits of their tenant.
 */
export async function useUploads(db: TenantDb, client: Queryable, srcPaths: readonly string[]): Promise<void> {
  const checksums = checksumsIn(srcPaths);
  if (checksums.length > 0) await db.query(use, [checksums], client);
}

function checksumsIn(srcPaths: readonly string[]): string[] {
  return [...new Set(srcPaths.flatMap((path) => checksumIn(path) ?? []))];
}
