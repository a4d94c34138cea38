import type { Queryable } from '../backing/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { checksumIn } from './address.ts';
import { renewNamed, use } from './statements.ts';

/**
 * Keeps the files that a write refers to. Called before the write is accepted; from then on, none of them is removed.
 */
export async function keepUploads(db: TenantDb, srcPaths: readonly string[]): Promise<void> {
  const checksums = checksumsIn(srcPaths);
  if (checksums.length > 0) await db.query(renewNamed, [checksums]);
}

/**
 * Marks files as used, in the transaction that stores the records that refer to them: files of dry runs and of failed
 * writes still count toward the tenant's limits.
 */
export async function useUploads(db: TenantDb, client: Queryable, srcPaths: readonly string[]): Promise<void> {
  const checksums = checksumsIn(srcPaths);
  if (checksums.length > 0) await db.query(use, [checksums], client);
}

function checksumsIn(srcPaths: readonly string[]): string[] {
  return [...new Set(srcPaths.flatMap((path) => checksumIn(path) ?? []))];
}
