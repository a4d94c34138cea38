import { pdqDistance } from '../../analysis/index.ts';
import { groupBy } from '../../lib/group-by.ts';
import { noHashes } from '../index/block.ts';
import type { EditedPairs, DuplicateCandidates, GroupOptions } from './candidates.ts';
import { hashAt, areOtherForms } from './form-pairs.ts';
import { UnionFind } from './union-find.ts';

/** With more members, there would be too many pairs to sort. */
const maxMembers = 4096;
/** Offset that sorts pairs from close comparison after all pairs of near hashes. */
const afterHashes = 258;

/**
 * Splits records that chains of pairs connect although people called some of them different. Pairs are joined in this
 * order: those called the same, those with the same file, near hashes, pairs from close comparison. The last two go
 * by distance, nearest first, and ties by the older record, then by the other. A pair is left out if the two parts it
 * joins contain records that were called different. With more than `maxMembers` members, the younger of two such
 * records is left out instead.
 */
export function joinWithin(
  members: readonly number[],
  candidates: DuplicateCandidates,
  options: GroupOptions,
): number[][] {
  const own = new Map(members.map((place, index) => [place, index]));
  const within = (pairs: Uint32Array) => pairsWithin(pairs, own);
  const apart = within(candidates.apart);
  if (members.length > maxMembers) return withoutYounger(members, apart);
  const sets = new UnionFind(members.length);
  const conflicts = conflictsOf(apart);
  const known = { joined: within(candidates.joined), compared: comparedWithin(candidates.edited, own) };
  for (const [a, b] of inOrder(members, known, candidates, options)) {
    const [one, two] = [sets.find(a), sets.find(b)];
    if (one === two || conflicts.get(one)?.has(two)) continue;
    const given = sets.join(one, two);
    inherit(conflicts, given, given === one ? two : one);
  }
  return [...groupBy(members, (_, index) => sets.find(index)).values()];
}

type Pair = readonly [number, number];

/** The pairs whose places are both members, as indexes of members. */
function pairsWithin(pairs: Uint32Array, own: ReadonlyMap<number, number>): Pair[] {
  return Array.from({ length: pairs.length / 2 }, (_, k) => k).flatMap((k): Pair[] => {
    const [a, b] = [own.get(pairs[2 * k] as number), own.get(pairs[2 * k + 1] as number)];
    return a === undefined || b === undefined ? [] : [a < b ? [a, b] : [b, a]];
  });
}

type ComparedPair = Readonly<{ pair: Pair; bits: number }>;

/** Pairs from close comparison whose places are both members. */
function comparedWithin(edited: EditedPairs | null, own: ReadonlyMap<number, number>): ComparedPair[] {
  if (edited === null) return [];
  return [...edited.bits].flatMap((bits, k) =>
    pairsWithin(edited.pairs.subarray(2 * k, 2 * k + 2), own).map((pair) => ({ pair, bits })),
  );
}

function withoutYounger(members: readonly number[], apart: readonly Pair[]): number[][] {
  const younger = new Set(apart.map(([, b]) => b));
  return [members.filter((_, index) => !younger.has(index))];
}

/** For each root, the roots of the parts that it must not be joined with. */
type Conflicts = Map<number, Set<number>>;

function conflictsOf(apart: readonly Pair[]): Conflicts {
  const conflicts: Conflicts = new Map();
  const add = (a: number, b: number) => conflicts.set(a, (conflicts.get(a) ?? new Set()).add(b));
  for (const [a, b] of apart) {
    add(a, b);
    add(b, a);
  }
  return conflicts;
}

/** Passes the conflicts of a merged part on to the part that now contains it. */
function inherit(conflicts: Conflicts, given: number, kept: number): void {
  for (const other of conflicts.get(given) ?? []) {
    conflicts.set(kept, (conflicts.get(kept) ?? new Set()).add(other));
    conflicts.get(other)?.delete(given);
    conflicts.get(other)?.add(kept);
  }
  conflicts.delete(given);
}

/** All pairs that may be joined, the strongest first. */
function* inOrder(
  members: readonly number[],
  { joined, compared }: Readonly<{ joined: readonly Pair[]; compared: readonly ComparedPair[] }>,
  candidates: DuplicateCandidates,
  options: GroupOptions,
): Generator<Pair> {
  const { quality, files } = candidates;
  const { distance, minQuality } = options;
  yield* joined.toSorted(([a, b], [c, d]) => a - c || b - d);
  const isSeen = members.map((place) => (quality[place] as number) >= minQuality && quality[place] !== noHashes);
  const hashesOf = members.map((place) => hashAt(candidates, place));
  const keys: number[] = [];
  // Packs the order and the two members into one number, which sorts the same way.
  const add = (order: number, a: number, b: number) => keys.push((order * maxMembers + a) * maxMembers + b);
  const isForm = (a: number, b: number) =>
    areOtherForms(candidates, options, members[a] as number, members[b] as number);
  for (let a = 0; a < members.length; a += 1) {
    for (let b = a + 1; b < members.length; b += 1) {
      const file = files[members[a] as number] as number;
      const isSameFile = file >= 0 && file === files[members[b] as number];
      const bits = isSeen[a] && isSeen[b] ? pdqDistance(hashesOf[a] as Uint8Array, hashesOf[b] as Uint8Array) : 256;
      if (isSameFile || (bits <= distance && !isForm(a, b))) add(isSameFile ? 0 : bits + 1, a, b);
    }
  }
  for (const { pair, bits } of compared) add(afterHashes + bits, ...pair);
  for (const key of Float64Array.from(keys).toSorted())
    yield [Math.floor(key / maxMembers) % maxMembers, key % maxMembers];
}
