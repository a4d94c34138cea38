import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashParts, mostIndexedDistance, probesWithin } from '../../src/similarity/database/hash-parts.ts';
import { runsOf } from '../support/effort.ts';

const bitsOfPart = 23;

/** The difference of two hashes in each part. */
function differences(bits: readonly number[]): number[] {
  const parts = Array.from({ length: hashParts }, () => 0);
  for (const bit of bits) {
    const part = Math.floor(bit / bitsOfPart);
    if (part < hashParts) parts[part] = (parts[part] as number) | (2 ** (bitsOfPart - 1 - (bit % bitsOfPart)));
  }
  return parts;
}

const isFound = (bits: readonly number[], distance: number): boolean => {
  const { masks, counts } = probesWithin(distance);
  return differences(bits).some((difference, part) => masks.slice(0, counts[part]).includes(difference));
};

describe('differences to look for', () => {
  it('include one of every pair within the distance', () => {
    const pair = fc.integer({ min: 0, max: mostIndexedDistance }).chain((distance) =>
      fc.record({
        distance: fc.constant(distance),
        bits: fc.uniqueArray(fc.integer({ min: 0, max: 255 }), { maxLength: distance }),
      }),
    );
    fc.assert(
      fc.property(pair, ({ distance, bits }) => isFound(bits, distance)),
      { numRuns: runsOf('pairs of hashes') },
    );
  });

  it.each([10, 31, 40])('are needed: of pairs beyond %i bits some are not found', (distance) => {
    // As many bits in each part as are just not looked for.
    const { counts } = probesWithin(distance);
    const looked = new Map([0, 1, 24, 277, 2048].map((count, k) => [count, k - 1]));
    const bits = counts.flatMap((count, part) =>
      Array.from({ length: (looked.get(count) ?? 0) + 1 }, (_, k) => part * bitsOfPart + k),
    );
    expect(bits.length).toBe(distance + 1);
    expect(isFound(bits, distance)).toBe(false);
  });

  it.each([
    [10, 11],
    [31, 2794],
    [40, 17_215],
  ])('within %i bits are %i', (distance, count) => {
    expect(probesWithin(distance).counts.reduce((a, b) => a + b)).toBe(count);
  });

  it.each([-1, 44, 1.5])('are refused for a distance of %d', (distance) => {
    expect(() => probesWithin(distance)).toThrow(RangeError);
  });
});
