import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { TenantDb } from '../../tenants/index.ts';
import { candidatesOf } from './find-duplicates.ts';
import type { EditedPairs } from './candidates.ts';
import type { Groups } from './groups.ts';
import { openCompareThread } from '../compare/compare-thread.ts';
import type { CompareThread } from '../compare/compare-thread.ts';
import type { CompareTask, PackedSide } from '../compare/compare-worker.ts';
import type { IndexedFingerprint, SimilarityIndex } from '../index/similarity-index.ts';
import { indexOfSorted } from './read-candidates.ts';
import type { ReadCandidates } from './read-candidates.ts';
import { PackedDetails } from '../compare/stored-details.ts';
import type { TenantIndexes } from '../index/tenant-indexes.ts';
import type { Thresholds } from '../compare/tiers.ts';
import { UnionFind } from './union-find.ts';

/** Number of records whose candidates are sent to the thread at once: about a second of work. */
const batch = 16;
/** Maximum number of pictures with near hashes that each is compared with, nearest first. */
const hashCandidates = 512;

export type EditedSearch = Readonly<{
  db: TenantDb;
  similar: TenantIndexes;
  thresholds: Thresholds;
  /** Called with the number of records done. */
  onDone: (count: number) => void;
}>;

/** Whether a pair of places is worth comparing. */
type IsOpen = (a: number, b: number) => boolean;

/**
 * Finds pairs where a search by `i=` from one finds the other. `joined` are the groups that hashes, files and
 * verdicts form as long as no verdict separates records; pairs within them need no comparison. If a group ends up
 * with two records that were called different, all its pairs are compared, because it has to be split at the weakest.
 *
 * @throws the signal's reason.
 */
export async function findEditedPairs(
  { db, similar, thresholds, onDone }: EditedSearch,
  { ids, candidates }: ReadCandidates,
  joined: Groups,
  signal: AbortSignal,
): Promise<EditedPairs> {
  const sets = setsOf(candidates.count, joined);
  const pairs: number[] = [];
  const bits: number[] = [];
  const onMatch = (a: number, b: number, distance: number) => {
    pairs.push(a, b);
    bits.push(distance);
    sets.join(a, b);
  };
  const thread = openCompareThread(thresholds, signal);
  const comparison = { ids, thread, similar, db, thresholds, details: new PackedDetails(db), onMatch, signal };
  try {
    const all = Array.from({ length: candidates.count }, (_, place) => place);
    await compareAll(comparison, all, (a, b) => sets.find(a) !== sets.find(b), onDone);
    const parted = partedSets(sets, candidates.apart);
    const within = parted.size === 0 ? [] : all.filter((place) => parted.has(sets.find(place)));
    await compareAll(comparison, within, (a, b) => sets.find(a) === sets.find(b));
  } finally {
    await thread.close();
  }
  return { pairs: Uint32Array.from(pairs), bits: Uint16Array.from(bits) };
}

function setsOf(count: number, { starts, members }: Groups): UnionFind {
  const sets = new UnionFind(count);
  for (let group = 0; group < starts.length - 1; group += 1) {
    const [first, ...others] = members.subarray(starts[group], starts[group + 1]);
    for (const other of others) sets.join(first as number, other);
  }
  return sets;
}

/** The sets with two records that a person called different. */
function partedSets(sets: UnionFind, apart: Uint32Array): Set<number> {
  const parted = new Set<number>();
  for (let k = 0; k < apart.length; k += 2) {
    const root = sets.find(apart[k] as number);
    if (root === sets.find(apart[k + 1] as number)) parted.add(root);
  }
  return parted;
}

type Comparison = Readonly<{
  ids: Float64Array;
  thread: CompareThread;
  similar: TenantIndexes;
  db: TenantDb;
  thresholds: Thresholds;
  details: PackedDetails;
  onMatch: (a: number, b: number, bits: number) => void;
  signal: AbortSignal;
}>;

/** Compares the candidates of some places, and loads the next ones while the thread works. */
async function compareAll(
  comparison: Comparison,
  places: readonly number[],
  isOpen: IsOpen,
  onDone: (count: number) => void = () => {},
): Promise<void> {
  let comparing: Promise<void> = Promise.resolve();
  for (let at = 0; at < places.length; at += batch) {
    comparison.signal.throwIfAborted();
    const { task, pairs } = await loadTask(comparison, places.slice(at, at + batch), isOpen);
    await comparing;
    comparing = comparePairs(comparison, task, pairs).then(() => onDone(Math.min(at + batch, places.length)));
    // Awaited below or with the next batch; until then, a rejection must not count as unhandled.
    comparing.catch(() => {});
  }
  await comparing;
}

async function comparePairs({ thread, onMatch }: Comparison, task: CompareTask, pairs: readonly Pair[]): Promise<void> {
  if (pairs.length === 0) return;
  const bits = await thread.compare(task);
  for (const [k, [a, b]] of pairs.entries()) if ((bits[k] as number) >= 0) onMatch(a, b, bits[k] as number);
}

type Pair = readonly [number, number];
type Hashes = NonNullable<IndexedFingerprint['hashes']>;

/** Loads those candidates of some places that are worth comparing, with the data to compare. */
async function loadTask(
  comparison: Comparison,
  places: readonly number[],
  isOpen: IsOpen,
): Promise<Readonly<{ task: CompareTask; pairs: Pair[] }>> {
  const { ids, similar, db, details } = comparison;
  const pairs: Pair[] = [];
  const hashes = new Map<number, Hashes>();
  const hashesOf = (index: SimilarityIndex, place: number) =>
    hashes.get(place) ?? index.get(ids[place] as number)?.hashes ?? null;
  await similar.use(db, async (index) => {
    for (const place of places) {
      await yieldToOthers(); // A search among few records runs in this thread and would block requests.
      for (const other of await proposed(comparison, index, place, isOpen)) {
        const [own, found] = [hashesOf(index, place), hashesOf(index, other)];
        if (own === null || found === null) continue;
        hashes.set(place, own).set(other, found);
        pairs.push([place, other]);
      }
    }
  });
  const packed = await details.read([...hashes.keys()].map((place) => ids[place] as number));
  const sides = [...hashes].map(([place, own]): PackedSide => {
    return { ...own, details: packed.get(ids[place] as number) ?? null };
  });
  const numbers = new Map([...hashes.keys()].map((place, number) => [place, number]));
  const numbered = pairs.flat().map((place) => numbers.get(place) as number);
  return { task: { sides, pairs: Uint32Array.from(numbered) }, pairs };
}

/** The places that a search by `i=` would compare with this one, except those that are not worth it. */
async function proposed(
  { ids, thresholds }: Comparison,
  index: SimilarityIndex,
  place: number,
  isOpen: IsOpen,
): Promise<Set<number>> {
  const fingerprint = index.get(ids[place] as number);
  if (fingerprint?.hashes == null) return new Set();
  const { id, hashes, vector } = fingerprint;
  const reference = { id, ...hashes, vector, checksum: null, details: null };
  // Records with the same file are already in one group.
  const search = { index, thresholds, sameFile: async () => [] };
  const { byHash, others } = await candidatesOf(search, reference, '=');
  const isWorth = (other: number) => other >= 0 && other !== place && isOpen(place, other);
  const near = byHash.map((hit) => ({ ...hit, place: indexOfSorted(ids, hit.id) })).filter((hit) => isWorth(hit.place));
  const nearest = near.toSorted((a, b) => a.value - b.value || a.id - b.id).slice(0, hashCandidates);
  const further = others.map((other) => indexOfSorted(ids, other)).filter(isWorth);
  return new Set([...nearest.map((hit) => hit.place), ...further]);
}
