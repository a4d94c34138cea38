import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noHashes } from '../../src/similarity/index/block.ts';
import type { DuplicateCandidates } from '../../src/similarity/groups/candidates.ts';
import { findGroups } from '../../src/similarity/groups/groups.ts';
import { findGroupsInThread } from '../../src/similarity/groups/groups-thread.ts';
import { forNearPairs } from '../../src/similarity/groups/near-pairs.ts';
import { pdqDistance } from '../../src/analysis/index.ts';
import { runsOf } from '../support/effort.ts';

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** Hashes of which many are near each other: each is one of a few with some bits flipped. */
const related = fc
  .tuple(
    fc.array(hash, { minLength: 1, maxLength: 4 }),
    fc.array(fc.tuple(fc.nat(3), fc.array(fc.nat(255), { maxLength: 45 })), { maxLength: 40 }),
  )
  .map(([bases, copies]) =>
    copies.map(([base, flips]) => {
      const copy = Uint8Array.from(bases[base % bases.length] as Uint8Array);
      for (const bit of flips) copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
      return copy;
    }),
  );

function join(hashes: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(hashes.flatMap((each) => [...each]));
}

const flipped = (source: Uint8Array, count: number) => {
  const copy = Uint8Array.from(source);
  for (let bit = 0; bit < count; bit += 1) copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
};
const base = Uint8Array.from({ length: 32 }, (_, k) => (k * 73) & 0xff);
const options = { distance: 31, minQuality: 50 };

describe('pairs of near hashes', () => {
  it('are exactly those that differ in so many bits', () => {
    fc.assert(
      fc.property(related, fc.integer({ min: 0, max: 40 }), (hashes, distance) => {
        const found = new Set<string>();
        forNearPairs(join(hashes), distance, (a, b) => found.add(`${a} ${b}`));
        const near = hashes.flatMap((one, a) =>
          hashes.flatMap((two, b) => (a < b && pdqDistance(one, two) <= distance ? [`${a} ${b}`] : [])),
        );
        expect([...found].toSorted()).toEqual(near.toSorted());
      }),
      { numRuns: 30 },
    );
  });

  it('are found among more copies of one picture than are compared at a time', () => {
    const crowd = Array.from({ length: 600 }, () => base);
    const found = new Set<number>();
    forNearPairs(join(crowd), 0, (a, b) => found.add(a * crowd.length + b));
    expect(found.size).toBe((600 * 599) / 2);
  });
});

type Pair = readonly [number, number];
type ImageSignature = readonly [...Pair, bits: number];
type Given = Partial<
  Readonly<{ quality: number[]; files: number[]; joined: Pair[]; apart: Pair[]; edited: ImageSignature[] }>
>;

function candidatesOf(hashes: readonly Uint8Array[], given: Given = {}): DuplicateCandidates {
  const { quality, files, joined = [], apart = [], edited = [] } = given;
  return {
    count: hashes.length,
    hashes: join(hashes),
    quality: Uint8Array.from(hashes, (_, k) => quality?.[k] ?? 100),
    files: Int32Array.from(hashes, (_, k) => files?.[k] ?? -1),
    joined: Uint32Array.from(joined.flat()),
    apart: Uint32Array.from(apart.flat()),
    edited: {
      pairs: Uint32Array.from(edited.flatMap(([a, b]) => [a, b])),
      bits: Uint16Array.from(edited.map(([, , bits]) => bits)),
    },
    formTemplates: null,
  };
}

/** Groups as lists of places. */
function groupsOf(candidates: DuplicateCandidates, asked = options): number[][] {
  const { starts, members } = findGroups(candidates, asked);
  return Array.from({ length: starts.length - 1 }, (_, k) => [...members.subarray(starts[k], starts[k + 1])]);
}

/** The same by going through all pairs in order, with sets that are plain. */
function plainGroups(all: DuplicateCandidates, distance: number): number[][] {
  const { count, hashes, quality, files, joined, apart, edited } = all;
  const pairs: [order: number, a: number, b: number][] = [...(edited?.bits ?? [])].map((bits, k) => {
    const [a = 0, b = 0] = edited?.pairs.subarray(2 * k, 2 * k + 2) ?? [];
    return [300 + bits, Math.min(a, b), Math.max(a, b)];
  });
  const said = (list: Uint32Array, a: number, b: number) =>
    Array.from({ length: list.length / 2 }, (_, k) => [list[2 * k], list[2 * k + 1]]).some(
      (pair) => pair.includes(a) && pair.includes(b),
    );
  for (let a = 0; a < count; a += 1) {
    for (let b = a + 1; b < count; b += 1) {
      const bits = pdqDistance(hashes.subarray(a * 32, a * 32 + 32), hashes.subarray(b * 32, b * 32 + 32));
      const isSeen = [a, b].every((place) => (quality[place] as number) >= 50 && quality[place] !== noHashes);
      const isSameFile = (files[a] as number) >= 0 && files[a] === files[b];
      if (said(joined, a, b)) pairs.push([-2, a, b]);
      else if (isSameFile) pairs.push([-1, a, b]);
      else if (isSeen && bits <= distance) pairs.push([bits, a, b]);
    }
  }
  pairs.sort(([x, a, b], [y, c, d]) => x - y || a - c || b - d);
  const sets = Array.from({ length: count }, (_, place) => new Set([place]));
  for (const [, a, b] of pairs) {
    const [one, two] = [sets[a] as Set<number>, sets[b] as Set<number>];
    if (one === two || [...one].some((x) => [...two].some((y) => said(apart, x, y)))) continue;
    for (const place of two) {
      one.add(place);
      sets[place] = one;
    }
  }
  return [...new Set(sets)]
    .filter(({ size }) => size > 1)
    .map((set) => [...set].toSorted((a, b) => a - b))
    .toSorted((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number));
}

const pairOf = (count: number) =>
  fc
    .tuple(fc.nat(count - 1), fc.nat(count - 1))
    .filter(([a, b]) => a !== b)
    .map(([a, b]): Pair => [a, b]);

/** Hashes of which many are near, some of pictures with little to see or without hash, with files and verdicts. */
const candidates = related
  .filter((hashes) => hashes.length > 1)
  .chain((hashes) =>
    fc
      .record({
        quality: fc.array(fc.constantFrom(100, 100, 100, 50, 49, noHashes), { minLength: 40, maxLength: 40 }),
        files: fc.array(fc.constantFrom(-1, -1, -1, 1, 2), { minLength: 40, maxLength: 40 }),
        joined: fc.array(pairOf(hashes.length), { maxLength: 3 }),
        apart: fc.array(pairOf(hashes.length), { maxLength: 8 }),
        edited: fc.array(
          fc
            .tuple(pairOf(hashes.length), fc.integer({ min: 32, max: 128 }))
            .map(([[a, b], bits]): ImageSignature => [a, b, bits]),
          { maxLength: 10 },
        ),
      })
      .map(({ joined, apart, ...given }) => {
        // A pair has one verdict.
        const isApart = ([a, b]: Pair) => apart.some((pair) => pair.includes(a) && pair.includes(b));
        return candidatesOf(hashes, { ...given, apart, joined: joined.filter((pair) => !isApart(pair)) });
      }),
  );

describe('groups of duplicates', () => {
  it('are those of a plain walk through all pairs, with files, closer looks and verdicts', () => {
    fc.assert(
      fc.property(candidates, fc.constantFrom(10, 31), (all, distance) => {
        expect(groupsOf(all, { ...options, distance })).toEqual(plainGroups(all, distance));
      }),
      { numRuns: runsOf('groups of hashes') },
    );
  });

  it('of a surer tier lie within those of a wider one', () => {
    fc.assert(
      fc.property(related, (hashes) => {
        const wide = groupsOf(candidatesOf(hashes));
        for (const group of groupsOf(candidatesOf(hashes), { ...options, distance: 10 })) {
          expect(wide.filter((other) => group.every((place) => other.includes(place)))).toHaveLength(1);
        }
      }),
      { numRuns: runsOf('groups of hashes') },
    );
  });

  it('hold what a chain of near pairs connects, with the distance of each member to the oldest', () => {
    const chain = [0, 30, 60, 200].map((bits) => flipped(base, bits));
    const { members, distances } = findGroups(candidatesOf(chain), options);
    expect([[...members], [...distances]]).toEqual([
      [0, 1, 2],
      [0, 30, 60],
    ]);
  });

  it('never hold two records said to be different, nor lose a nearer pair for a farther one', () => {
    const chain = [0, 10, 25].map((bits) => flipped(base, bits));
    expect(groupsOf(candidatesOf(chain))).toEqual([[0, 1, 2]]);
    expect(groupsOf(candidatesOf(chain, { apart: [[0, 2]] }))).toEqual([[0, 1]]);
    expect(groupsOf(candidatesOf(chain, { apart: [[2, 0]], joined: [[1, 2]] }))).toEqual([[1, 2]]);
  });

  it('hold pictures with little to see by their file and by what was said alone', () => {
    const quality = [49, 49, 100, 49, noHashes];
    const same = [base, base, base, base, base];
    expect(groupsOf(candidatesOf(same, { quality }))).toEqual([]);
    expect(groupsOf(candidatesOf(same, { quality, files: [7, -1, -1, 7, -1], joined: [[4, 2]] }))).toEqual([
      [0, 3],
      [2, 4],
    ]);
  });

  it('of thousands let the younger of two that are different stand alone', () => {
    const crowd = Array.from({ length: 4100 }, () => base);
    const [group, ...others] = groupsOf(candidatesOf(crowd, { apart: [[4, 9]] }));
    expect([group?.length, group?.includes(4), group?.includes(9), others]).toEqual([4099, true, false, []]);
  });

  it('are found in a thread, step by step, until it is stopped', async () => {
    const all = candidatesOf([base, flipped(base, 5), flipped(base, 100)]);
    const seen: number[] = [];
    const found = await findGroupsInThread(
      all,
      { ...options, onStep: (done) => seen.push(done) },
      new AbortController().signal,
    );
    expect([[...found.members], seen]).toEqual([[0, 1], Array.from({ length: 17 }, (_, k) => k + 1)]);
    const reason = new Error('stop');
    const stopping = new AbortController();
    const stopped = findGroupsInThread(all, { ...options, onStep: () => stopping.abort(reason) }, stopping.signal);
    await expect(stopped).rejects.toBe(reason);
  });
});
