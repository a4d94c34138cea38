import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { regionBytes, unpackDetails } from '../../vision/index.ts';
import type { Gallery, Prints } from './gallery.ts';
import { findGroupsInThread } from './groups-thread.ts';
import type { Groups } from './groups.ts';
import { isPlain } from './other-print.ts';
import { lumaBytes } from './print-pairs.ts';
import { placeOf } from './read-gallery.ts';
import type { ReadGallery } from './read-gallery.ts';
import type { Thresholds } from './tiers.ts';

export type HashSearch = Readonly<{
  db: TenantDb;
  thresholds: Thresholds;
  /** Largest PDQ distance. */
  distance: number;
  onStep?: (done: number) => void;
}>;

/** Groups, and the records with what tells prints apart. */
export type HashGroups = Readonly<{ groups: Groups; gallery: Gallery }>;

/**
 * Groups of duplicates by hash, as searches by `i===` and `i==` find them: records whose hashes leave a doubt are read
 * once more, and where some are plain ground, forms of one print are told apart by their pixels.
 *
 * @throws the signal's reason.
 */
export async function findHashGroups(
  { db, thresholds, distance, onStep }: HashSearch,
  { ids, gallery }: ReadGallery,
  signal: AbortSignal,
): Promise<HashGroups> {
  const { minQuality, near: doubtBeyond } = thresholds;
  const options = { distance, minQuality, doubtBeyond };
  const groups = await findGroupsInThread(gallery, { ...options, ...(onStep && { onStep }) }, signal);
  const prints = await readPrints(db, ids, groups.doubtful, thresholds, signal);
  if (prints === null) return { groups, gallery };
  const printed = { ...gallery, prints };
  return { groups: await findGroupsInThread(printed, options, signal), gallery: printed };
}

const someDetails = tenantStatement(
  'duplicate-prints',
  `SELECT f.row_id::text AS id, f.regions, d.details FROM image_fingerprint f
   JOIN image_details d ON d.row_id = f.row_id
   WHERE f.tenant_id = $1 AND f.row_id = ANY($2::bigint[]) AND octet_length(f.regions) = ${regionBytes}`,
);
/** Records that are read at a time. */
const pageRows = 1_000;

/** What is known of those of some places that are plain ground; null where none is. */
async function readPrints(
  db: TenantDb,
  ids: Float64Array,
  places: Uint32Array,
  thresholds: Thresholds,
  signal: AbortSignal,
): Promise<Prints | null> {
  const found: Readonly<{ place: number; regions: Uint8Array; luma: Uint8Array }>[] = [];
  for (let at = 0; at < places.length; at += pageRows) {
    signal.throwIfAborted();
    const asked = Array.from(places.subarray(at, at + pageRows), (place) => ids[place]);
    const { rows } = await db.query<{ id: string; regions: Buffer; details: Buffer }>(someDetails, [asked]);
    for (const { id, regions, details } of rows) {
      const luma = unpackDetails(details)?.miniature.luma;
      if (luma === undefined || !isPlain(luma, thresholds)) continue;
      found.push({ place: placeOf(ids, Number(id)), regions: Uint8Array.from(regions), luma });
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
