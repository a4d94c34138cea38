import { findEditedPairs } from './edited-pairs.ts';
import type { EditedSearch } from './edited-pairs.ts';
import { findGroupsInThread } from './groups-thread.ts';
import type { Groups } from './groups.ts';
import type { ReadGallery } from './read-gallery.ts';

/**
 * Groups of duplicates by `i=`: two records belong together when a search by it from one finds the other. What
 * hashes, files and verdicts join comes first; only pairs that lie in two groups then are looked at.
 *
 * @throws the signal's reason.
 */
export async function findEditedGroups(
  search: EditedSearch,
  { ids, gallery }: ReadGallery,
  signal: AbortSignal,
): Promise<Groups> {
  const { same: distance, minQuality } = search.thresholds;
  const joined = await findGroupsInThread({ ...gallery, apart: new Uint32Array() }, { distance, minQuality }, signal);
  const edited = await findEditedPairs(search, { ids, gallery }, joined, signal);
  return findGroupsInThread({ ...gallery, edited }, { distance, minQuality }, signal);
}
