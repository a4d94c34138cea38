import { pdqDistance } from '../../analysis/index.ts';
import { rotatedDistance } from '../compare/compare.ts';
import { hashAt, areOtherForms } from './form-pairs.ts';
import { steps } from './candidates.ts';
import { noHashes } from '../index/block.ts';
import type { DuplicateCandidates, GroupOptions } from './candidates.ts';
import { joinWithin } from './join-within.ts';
import { forNearPairs } from './near-pairs.ts';
import { UnionFind } from './union-find.ts';

/**
 * Groups of two or more, largest first: the members of group k are `members` from `starts[k]` up to `starts[k + 1]`.
 */
export type Groups = Readonly<{
  starts: Uint32Array;
  /** Places, the oldest of each group first. */
  members: Uint32Array;
  /**
   * PDQ distance of each member to the first of its group, in the best rotation after a close comparison; -1
   * if one of the two has no hash.
   */
  distances: Int16Array;
  /** Places that are pairs by hash unless pixels show otherwise, if requested. */
  doubtful: Uint32Array;
}>;

/**
 * Finds groups of duplicates. Two records belong together if their hashes are near, if they have the same file, if a
 * close comparison matched them, or if a person called them the same; and so do both ends of a chain of such pairs.
 * So the group of a record contains everything that a search finds for it, and groups of a stricter tier lie within
 * those of a wider one.
 *
 * No group contains two records that a person called different. Where a chain connects two of them, the strongest
 * pairs are joined first, and a pair that would unite the two is left out; see `joinWithin`.
 */
export function findGroups(candidates: DuplicateCandidates, options: GroupOptions): Groups {
  const { count, files, joined, apart } = candidates;
  const sets = new UnionFind(count);
  for (let k = 0; k < joined.length; k += 2) sets.join(joined[k] as number, joined[k + 1] as number);
  joinFiles(sets, files);
  const doubtful = joinHashes(sets, candidates, options);
  const compared = candidates.edited?.pairs ?? [];
  for (let k = 0; k < compared.length; k += 2) sets.join(compared[k] as number, compared[k + 1] as number);
  const broken = new Set<number>();
  for (let k = 0; k < apart.length; k += 2) {
    const root = sets.find(apart[k] as number);
    if (root === sets.find(apart[k + 1] as number)) broken.add(root);
  }
  const parts = membersOf(sets, count).flatMap((members) =>
    broken.has(sets.find(members[0] as number)) ? joinWithin(members, candidates, options) : [members],
  );
  const groups = { ...layOut(parts, candidates), doubtful };
  options.onStep?.(steps);
  return groups;
}

function joinFiles(sets: UnionFind, files: Int32Array): void {
  const firsts = new Map<number, number>();
  for (const [place, file] of files.entries()) {
    if (file < 0) continue;
    const first = firsts.get(file);
    if (first === undefined) firsts.set(file, place);
    else sets.join(first, place);
  }
}

/**
 * Joins records with near hashes. Of equal hashes, only one is compared with others, so any number of copies costs
 * nothing. Returns the places whose pixels must be compared; they stay joined until then.
 */
function joinHashes(sets: UnionFind, candidates: DuplicateCandidates, options: GroupOptions): Uint32Array {
  const { distance, minQuality, doubtBeyond = distance, onStep } = options;
  const { places, firstOf } = firstOfEach(sets, candidates, minQuality);
  const hashes = new Uint8Array(places.length * 32);
  for (const [k, place] of places.entries()) hashes.set(hashAt(candidates, place), k * 32);
  const isDoubtful = new Uint8Array(candidates.count);
  const doubt = (a: number, b: number) => {
    if (isDoubtful[a] === 1 && isDoubtful[b] === 1) return;
    if (pdqDistance(hashAt(candidates, a), hashAt(candidates, b)) > doubtBeyond) isDoubtful[a] = isDoubtful[b] = 1;
  };
  const onPair = (a: number, b: number) => {
    if (candidates.formTemplates !== null) {
      if (sets.find(a) !== sets.find(b) && !areOtherForms(candidates, options, a, b)) sets.join(a, b);
      return;
    }
    if (doubtBeyond < distance) doubt(a, b);
    sets.join(a, b);
  };
  forNearPairs(
    hashes,
    distance,
    (a, b) => onPair(places[a] as number, places[b] as number),
    (band) => onStep?.(band + 1),
  );
  return Uint32Array.from(firstOf.keys()).filter((place) => isDoubtful[firstOf[place] as number] === 1);
}

type Firsts = Readonly<{ places: readonly number[]; firstOf: Int32Array }>;

/**
 * Joins records with equal hashes of sufficient quality; returns the first place of each hash, and that of each
 * place.
 */
function firstOfEach(sets: UnionFind, { count, hashes, quality }: DuplicateCandidates, minQuality: number): Firsts {
  const words = new Uint32Array(hashes.buffer, hashes.byteOffset, count * 8);
  const size = 2 ** Math.ceil(Math.log2(count * 2 + 2));
  const table = new Int32Array(size).fill(-1);
  const isEqual = (a: number, b: number) => {
    for (let word = 0; word < 8; word += 1) if (words[a * 8 + word] !== words[b * 8 + word]) return false;
    return true;
  };
  const places: number[] = [];
  const firstOf = Int32Array.from({ length: count }, (_, place) => place);
  for (let place = 0; place < count; place += 1) {
    const own = quality[place] as number;
    if (own === noHashes || own < minQuality) continue;
    let at = 0;
    for (let word = 0; word < 8; word += 1) at = Math.imul(at ^ (words[place * 8 + word] as number), 0x9e3779b1) | 0;
    at = (at ^ (at >>> 15)) & (size - 1);
    while ((table[at] as number) >= 0 && !isEqual(table[at] as number, place)) at = (at + 1) & (size - 1);
    if ((table[at] as number) >= 0) {
      firstOf[place] = table[at] as number;
      sets.join(table[at] as number, place);
    } else {
      table[at] = place;
      places.push(place);
    }
  }
  return { places, firstOf };
}

/** The members of each set of two or more, in order. */
function membersOf(sets: UnionFind, count: number): number[][] {
  const byRoot = new Map<number, number[]>();
  for (let place = 0; place < count; place += 1) {
    const root = sets.find(place);
    if (sets.sizeOf(root) < 2) continue;
    const known = byRoot.get(root);
    if (known === undefined) byRoot.set(root, [place]);
    else known.push(place);
  }
  return [...byRoot.values()];
}

function layOut(
  parts: readonly (readonly number[])[],
  { hashes, quality, edited }: DuplicateCandidates,
): Omit<Groups, 'doubtful'> {
  const distanceOf = edited === null ? pdqDistance : rotatedDistance;
  const ordered = parts
    .filter(({ length }) => length > 1)
    .toSorted((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number));
  const starts = new Uint32Array(ordered.length + 1);
  const total = ordered.reduce((sum, { length }) => sum + length, 0);
  const groups = { starts, members: new Uint32Array(total), distances: new Int16Array(total) };
  const hashOf = (place: number) => hashAt({ hashes }, place);
  let at = 0;
  for (const [k, part] of ordered.entries()) {
    const first = part[0] as number;
    for (const place of part) {
      const isHashed = quality[first] !== noHashes && quality[place] !== noHashes;
      groups.members[at] = place;
      groups.distances[at] = isHashed ? distanceOf(hashOf(first), hashOf(place)) : -1;
      at += 1;
    }
    starts[k + 1] = at;
  }
  return groups;
}
