import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findGroups } from '../../../src/search/similar/groups.ts';
import type { Member } from '../../../src/search/similar/groups.ts';
import { forNearPairs } from '../../../src/search/similar/near-pairs.ts';
import { Verdicts } from '../../../src/search/similar/verdicts.ts';
import { pdqDistance } from '../../../src/vision/index.ts';

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
const member = (id: number, pdq: Uint8Array, quality = 100): Member => ({ id, pdq, quality });
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

describe('groups of duplicates', () => {
  it('hold every record once at most, and only such as are near the first', () => {
    fc.assert(
      fc.property(related, (hashes) => {
        const members = hashes.map((pdq, k) => member(k + 1, pdq));
        const groups = findGroups(members, options);
        const ids = groups.flatMap(({ first, others }) => [first, ...others.map(({ id }) => id)]);
        expect(new Set(ids).size).toBe(ids.length);
        for (const { first, others } of groups) {
          for (const { id, distance } of others) {
            expect(distance).toBe(pdqDistance(hashes[first - 1] as Uint8Array, hashes[id - 1] as Uint8Array));
            expect(distance).toBeLessThanOrEqual(31);
          }
        }
        const alone = members.filter(({ id }) => !ids.includes(id));
        for (const one of alone) {
          for (const two of alone) if (one !== two) expect(pdqDistance(one.pdq, two.pdq)).toBeGreaterThan(31);
        }
      }),
    );
  });

  it('do not chain pictures together of which only neighbours are alike', () => {
    const chain = [0, 30, 60, 90].map((bits, k) => member(k + 1, flipped(base, bits)));
    expect(findGroups(chain, options)).toEqual([
      { first: 1, others: [{ id: 2, distance: 30 }] },
      { first: 3, others: [{ id: 4, distance: 30 }] },
    ]);
  });

  it('hold a crowd of copies whole', () => {
    const crowd = Array.from({ length: 200 }, (_, k) => member(k + 1, flipped(base, (k * 7) % 16)));
    expect(findGroups(crowd, options).map(({ first, others }) => [first, others.length])).toEqual([[1, 199]]);
  });

  it('leave out pictures with little to see', () => {
    expect(findGroups([member(1, base, 49), member(2, base, 100), member(3, base, 50)], options)).toEqual([
      { first: 2, others: [{ id: 3, distance: 0 }] },
    ]);
  });

  it('keep apart what a person called different or a variant, and join what one called the same', () => {
    const verdicts = new Verdicts();
    verdicts.set(2, 1, 'different');
    verdicts.set(1, 3, 'variant');
    verdicts.set(4, 5, 'same');
    const far = Uint8Array.from(base, (byte) => ~byte & 0xff);
    const members = [member(1, base), member(2, base), member(3, base), member(4, base), member(5, far, 10)];
    expect(findGroups(members, { ...options, verdicts })).toEqual([
      {
        first: 1,
        others: [
          { id: 4, distance: 0 },
          { id: 5, distance: null },
        ],
      },
      { first: 2, others: [{ id: 3, distance: 0 }] },
    ]);
  });

  it('never hold a record that does not take part, whatever was said of it', () => {
    const verdicts = new Verdicts();
    verdicts.set(1, 99, 'same');
    expect(findGroups([member(1, base)], { ...options, verdicts })).toEqual([]);
  });
});
