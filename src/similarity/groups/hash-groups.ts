import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { regionBytes, unpackDetails } from '../../analysis/index.ts';
import type { DuplicateCandidates, FormTemplates } from './candidates.ts';
import { findGroupsInThread } from './groups-thread.ts';
import type { Groups } from './groups.ts';
import { isPlain } from '../compare/other-form.ts';
import { lumaBytes } from './form-pairs.ts';
import { indexOfSorted } from './read-candidates.ts';
import type { ReadCandidates } from './read-candidates.ts';
import type { Thresholds } from '../compare/tiers.ts';

type HashSearch = Readonly<{
  db: TenantDb;
  thresholds: Thresholds;
  /** Largest PDQ distance. */
  distance: number;
  onStep?: (done: number) => void;
}>;

/** Groups, and the records together with their form templates. */
type HashGroups = Readonly<{ groups: Groups; candidates: DuplicateCandidates }>;

/**
 * Finds groups of duplicates by hash, as searches by `i===` and `i==` do. Records with doubtful hashes are read
 * again; if some of them are plain background, pixels tell forms of one design apart.
 *
 * @throws the signal's reason.
 */
export async function findHashGroups(
  { db, thresholds, distance, onStep }: HashSearch,
  { ids, candidates }: ReadCandidates,
  signal: AbortSignal,
): Promise<HashGroups> {
  const { minQuality, near: doubtBeyond } = thresholds;
  const options = { distance, minQuality, doubtBeyond };
  const groups = await findGroupsInThread(candidates, { ...options, ...(onStep && { onStep }) }, signal);
  const formTemplates = await readFingerprints(db, ids, groups.doubtful, thresholds, signal);
  if (formTemplates === null) return { groups, candidates };
  const printed = { ...candidates, formTemplates };
  return { groups: await findGroupsInThread(printed, options, signal), candidates: printed };
}

const someDetails = tenantStatement(
  'duplicate-prints',
  `SELECT f.row_id::text AS id, f.regions, d.details FROM image_fingerprint f
   JOIN image_details d ON d.row_id = f.row_id
   WHERE f.tenant_id = $1 AND f.row_id = ANY($2::bigint[]) AND octet_length(f.regions) = ${regionBytes}`,
);
/** Number of records read at a time. */
const pageRows = 1_000;

/** Reads the form templates of those places that are plain background; null if there are none. */
async function readFingerprints(
  db: TenantDb,
  ids: Float64Array,
  places: Uint32Array,
  thresholds: Thresholds,
  signal: AbortSignal,
): Promise<FormTemplates | null> {
  const found: Readonly<{ place: number; regions: Uint8Array; luma: Uint8Array }>[] = [];
  for (let at = 0; at < places.length; at += pageRows) {
    signal.throwIfAborted();
    const asked = Array.from(places.subarray(at, at + pageRows), (place) => ids[place]);
    const { rows } = await db.query<{ id: string; regions: Buffer; details: Buffer }>(someDetails, [asked]);
    for (const { id, regions, details } of rows) {
      const luma = unpackDetails(details)?.miniature.luma;
      if (luma === undefined || !isPlain(luma, thresholds)) continue;
      found.push({ place: indexOfSorted(ids, Number(id)), regions: Uint8Array.from(regions), luma });
    }
  }
  if (found.length === 0) return null;
  const slots = new Int32Array(ids.length).fill(-1);
  const regions = new Uint8Array(new SharedArrayBuffer(found.length * regionBytes));
  const lumas = new Uint8Array(new SharedArrayBuffer(found.length * lumaBytes));
  for (const [slot, each] of found.entries()) {
    slots[each.place] = slot;
    regions.set(each.regions, slot * regionBytes);
    lumas.set(each.luma, slot * lumaBytes);
  }
  return { slots, regions, lumas, thresholds };
}
