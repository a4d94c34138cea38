import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchFeatures } from '../../src/analysis/fingerprint/match-features.ts';
import type { FeatureMatch } from '../../src/analysis/fingerprint/match-features.ts';
import type { LocalFeatures } from '../../src/analysis/fingerprint/local-features.ts';
import { pdqDistance } from '../../src/analysis/fingerprint/pdq.ts';
import { maxDescriptors, nearestDescriptors } from '../../src/analysis/fingerprint/wasm/corners.ts';
import { flipped } from '../similarity/hashed.ts';

const features = (descriptors: readonly Uint8Array[]): LocalFeatures => ({
  width: 512,
  height: 512,
  points: new Float32Array(descriptors.length * 3),
  descriptors: new Uint8Array(Buffer.concat(descriptors)),
});

/** Compares each corner with each other one, in plain code. */
function plainMatches(a: readonly Uint8Array[], b: readonly Uint8Array[]): FeatureMatch[] {
  const distances = a.map((one) => b.map((other) => pdqDistance(one, other)));
  const matches = distances.flatMap((row, from) => {
    const [best = 0xffff, second = 0xffff] = row.toSorted((x, y) => x - y);
    const to = row.indexOf(best);
    const bestOfB = Math.min(...distances.map((each) => each[to] ?? 0xffff));
    return best <= 68 && best <= 0.88 * second && best <= bestOfB ? [{ from, to, distance: best }] : [];
  });
  return matches.toSorted((x, y) => x.distance - y.distance || x.from - y.from);
}

const descriptor = fc.uint8Array({ minLength: 32, maxLength: 32 });
/** Corners of which some are those of another picture, changed in some bits. */
const pictures = fc
  .array(descriptor, { maxLength: 40 })
  .chain((a) =>
    fc.tuple(
      fc.constant(a),
      fc.array(
        fc.oneof(
          descriptor,
          a.length === 0
            ? descriptor
            : fc
                .tuple(fc.nat(a.length - 1), fc.nat(90), fc.nat(255))
                .map(([k, bits, from]) => flipped(a[k] as Uint8Array, bits, from)),
        ),
        { maxLength: 40 },
      ),
    ),
  );

describe('corners of two pictures', () => {
  it('are matched as by a comparison of each with each in plain code', () => {
    fc.assert(
      fc.property(pictures, ([a, b]) => {
        expect(matchFeatures(features(a), features(b))).toEqual(plainMatches(a, b));
        expect(matchFeatures(features(b), features(a))).toEqual(plainMatches(b, a));
      }),
    );
  });

  it('are compared in all their bits, up to as many as a stored picture can have', () => {
    const crowd = Array.from({ length: maxDescriptors }, (_, k) => new Uint8Array(32).fill(k));
    expect(matchFeatures(features(crowd), features(crowd))).toEqual(plainMatches(crowd, crowd));
    const opposite = nearestDescriptors(new Uint8Array(32), new Uint8Array(32).fill(0xff));
    expect([...opposite.rows]).toEqual([0, 256, 0xffff]);
    const tooMany = new Uint8Array(32 * (maxDescriptors + 1));
    expect(() => nearestDescriptors(tooMany, tooMany)).toThrow(/255 corners/);
  });
});
