import { pdqDistance } from '../../vision/index.ts';
import { turnedDistance } from './compare.ts';
import { noHash, steps } from './gallery.ts';
import type { Gallery, GroupOptions } from './gallery.ts';
import { joinWithin } from './join-within.ts';
import { forNearPairs } from './near-pairs.ts';
import { UnionFind } from './union-find.ts';

/** Groups of two and more, the largest first: those of group k are `members[starts[k]]` to before `starts[k + 1]`. */
export type Groups = Readonly<{
  starts: Uint32Array;
  /** Places, the oldest of each group first. */
  members: Uint32Array;
  /**
   * PDQ distance of each member to the first of its group, after closer looks in the turn that fits best; -1
   * where one of the two has no hash.
   */
  distances: Int16Array;
}>;

/**
 * Groups of duplicates: two records belong together when their hashes are near, when they have the
 * same file, when a closer look found one of the other, or when a person said that they are the same;
 * and so do the ends of a chain of such pairs. So whatever a search finds of a record is in its group, and groups of a surer tier lie
 * within those of a wider one.
 *
 * No group holds two records of which a person said that they are not the same. Where chains lead
 * from one to the other, pairs are joined the surest first, and a pair that would bring them together
 * is left out; `joinWithin` says how.
 */
export function findGroups(gallery: Gallery, options: GroupOptions): Groups {
  const { count, files, joined, apart } = gallery;
  const sets = new UnionFind(count);
  for (let k = 0; k < joined.length; k += 2) sets.join(joined[k] as number, joined[k + 1] as number);
  joinFiles(sets, files);
  joinHashes(sets, gallery, options);
  const looked = gallery.edited?.pairs ?? [];
  for (let k = 0; k < looked.length; k += 2) sets.join(looked[k] as number, looked[k + 1] as number);
  const broken = new Set<number>();
  for (let k = 0; k < apart.length; k += 2) {
    const root = sets.find(apart[k] as number);
    if (root === sets.find(apart[k + 1] as number)) broken.add(root);
  }
  const parts = membersOf(sets, count).flatMap((members) =>
    broken.has(sets.find(members[0] as number)) ? joinWithin(members, gallery, options) : [members],
  );
  const groups = layOut(parts, gallery);
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

/** Of equal hashes one is compared with the others: crowds of copies cost nothing. */
function joinHashes(sets: UnionFind, gallery: Gallery, { distance, minQuality, onStep }: GroupOptions): void {
  const places = firstOfEach(sets, gallery, minQuality);
  const hashes = new Uint8Array(places.length * 32);
  for (const [k, place] of places.entries()) {
    hashes.set(gallery.hashes.subarray(place * 32, place * 32 + 32), k * 32);
  }
  forNearPairs(
    hashes,
    distance,
    (a, b) => sets.join(places[a] as number, places[b] as number),
    (band) => onStep?.(band + 1),
  );
}

/** Joins records of equal hashes that show enough; places of the first of each. */
function firstOfEach(sets: UnionFind, { count, hashes, quality }: Gallery, minQuality: number): number[] {
  const words = new Uint32Array(hashes.buffer, hashes.byteOffset, count * 8);
  const size = 2 ** Math.ceil(Math.log2(count * 2 + 2));
  const table = new Int32Array(size).fill(-1);
  const isEqual = (a: number, b: number) => {
    for (let word = 0; word < 8; word += 1) if (words[a * 8 + word] !== words[b * 8 + word]) return false;
    return true;
  };
  const firsts: number[] = [];
  for (let place = 0; place < count; place += 1) {
    const own = quality[place] as number;
    if (own === noHash || own < minQuality) continue;
    let at = 0;
    for (let word = 0; word < 8; word += 1) at = Math.imul(at ^ (words[place * 8 + word] as number), 0x9e3779b1) | 0;
    at = (at ^ (at >>> 15)) & (size - 1);
    while ((table[at] as number) >= 0 && !isEqual(table[at] as number, place)) at = (at + 1) & (size - 1);
    if ((table[at] as number) >= 0) sets.join(table[at] as number, place);
    else {
      table[at] = place;
      firsts.push(place);
    }
  }
  return firsts;
}

/** The members of each set of two and more, in order. */
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

function layOut(parts: readonly (readonly number[])[], { hashes, quality, edited }: Gallery): Groups {
  const distanceOf = edited === null ? pdqDistance : turnedDistance;
  const ordered = parts
    .filter(({ length }) => length > 1)
    .toSorted((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number));
  const starts = new Uint32Array(ordered.length + 1);
  const total = ordered.reduce((sum, { length }) => sum + length, 0);
  const groups = { starts, members: new Uint32Array(total), distances: new Int16Array(total) };
  const hashOf = (place: number) => hashes.subarray(place * 32, place * 32 + 32);
  let at = 0;
  for (const [k, part] of ordered.entries()) {
    const first = part[0] as number;
    for (const place of part) {
      const isHashed = quality[first] !== noHash && quality[place] !== noHash;
      groups.members[at] = place;
      groups.distances[at] = isHashed ? distanceOf(hashOf(first), hashOf(place)) : -1;
      at += 1;
    }
    starts[k + 1] = at;
  }
  return groups;
}
