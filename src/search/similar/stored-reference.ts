import type { TenantDb } from '../../tenants/index.ts';
import type { Reference } from './find-duplicates.ts';
import type { SimilarityIndex } from './memory/similarity-index.ts';
import { readCloser } from './stored-fingerprints.ts';

/** A record as others are compared with it; null where it has no hashes yet. */
export async function readReference(db: TenantDb, index: SimilarityIndex, rowId: number): Promise<Reference | null> {
  const fingerprint = index.get(rowId);
  if (fingerprint?.hashes == null) return null;
  const closer = (await readCloser(db, [rowId])).get(rowId);
  return { id: rowId, ...fingerprint.hashes, vector: fingerprint.vector, checksum: null, details: null, ...closer };
}
