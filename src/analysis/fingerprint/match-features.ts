import type { LocalFeatures } from './local-features.ts';

/** A corner of one picture and the corner of another that looks like it. */
export type FeatureMatch = Readonly<{ from: number; to: number; distance: number }>;

/** Largest distance of 256 bits at which two corners may be the same. */
const maxDistance = 68;
/** The best must be this much better than the second, otherwise it is ambiguous (repeated patterns). */
const distinct = 0.88;
const words = 8;

/** Corners that are each other's best match, best first. */
export function matchFeatures(a: LocalFeatures, b: LocalFeatures): FeatureMatch[] {
  const [from, to] = [toWords(a.descriptors), toWords(b.descriptors)];
  const [countA, countB] = [from.length / words, to.length / words];
  const distances = new Uint16Array(countA * countB);
  const bestOfB = new Uint16Array(countB).fill(0xffff);
  for (let i = 0; i < countA; i += 1) {
    for (let j = 0; j < countB; j += 1) {
      const distance = distanceOf(from, i * words, to, j * words);
      distances[i * countB + j] = distance;
      if (distance < (bestOfB[j] as number)) bestOfB[j] = distance;
    }
  }
  const matches: FeatureMatch[] = [];
  for (let i = 0; i < countA; i += 1) {
    const { at, best, second } = twoBest(distances.subarray(i * countB, (i + 1) * countB));
    if (best > maxDistance || best > distinct * second || best > (bestOfB[at] as number)) continue;
    matches.push({ from: i, to: at, distance: best });
  }
  return matches.toSorted((x, y) => x.distance - y.distance || x.from - y.from);
}

function twoBest(row: Uint16Array): Readonly<{ at: number; best: number; second: number }> {
  let [at, best, second] = [0, 0xffff, 0xffff];
  for (let j = 0; j < row.length; j += 1) {
    const distance = row[j] as number;
    if (distance < best) [at, best, second] = [j, distance, best];
    else if (distance < second) second = distance;
  }
  return { at, best, second };
}

/** The bytes as 32-bit words; copied, because a part of a buffer may start anywhere. */
function toWords(descriptors: Uint8Array): Int32Array {
  return new Int32Array(descriptors.slice().buffer);
}

function distanceOf(a: Int32Array, atA: number, b: Int32Array, atB: number): number {
  let distance = 0;
  for (let k = 0; k < words; k += 1) {
    let bits = (a[atA + k] as number) ^ (b[atB + k] as number);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    distance += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return distance;
}
