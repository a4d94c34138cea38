import { findEditedPairs } from './edited-pairs.ts';
import type { EditedSearch } from './edited-pairs.ts';
import { findGroupsInThread } from './groups-thread.ts';
import { findHashGroups } from './hash-groups.ts';
import type { Groups } from './groups.ts';
import type { ReadCandidates } from './read-candidates.ts';

/**
 * Groups of duplicates by `i=`: two records belong together if a search by `i=` from one of them finds the other.
 * Hashes, files and verdicts join records first; then only pairs from different groups are compared.
 *
 * @throws the signal's reason.
 */
export async function findEditedGroups(
  search: EditedSearch,
  { ids, candidates }: ReadCandidates,
  signal: AbortSignal,
): Promise<Groups> {
  const { db, thresholds } = search;
  const { same: distance, near: doubtBeyond, minQuality } = thresholds;
  const together = { ids, candidates: { ...candidates, apart: new Uint32Array() } };
  const joined = await findHashGroups({ db, thresholds, distance }, together, signal);
  const edited = await findEditedPairs(search, { ids, candidates }, joined.groups, signal);
  const all = { ...joined.candidates, apart: candidates.apart, edited };
  return findGroupsInThread(all, { distance, minQuality, doubtBeyond }, signal);
}
