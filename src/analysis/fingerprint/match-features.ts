import type { LocalFeatures } from './local-features.ts';
import { nearestDescriptors } from './wasm/corners.ts';

/** A corner of one picture and the corner of another that looks like it. */
export type FeatureMatch = Readonly<{ from: number; to: number; distance: number }>;

/** Maximum number of differing bits, of 256, at which two corners may be the same. */
const maxDistance = 68;
/** Above this fraction of the second best distance, the best match is ambiguous (repeated patterns). */
const distinct = 0.88;

/** Returns the corners that are each other's best match, best first. */
export function matchFeatures(a: LocalFeatures, b: LocalFeatures): FeatureMatch[] {
  const { rows, bestOfB } = nearestDescriptors(a.descriptors, b.descriptors);
  const matches: FeatureMatch[] = [];
  for (let i = 0; i * 3 < rows.length; i += 1) {
    const [at, best, second] = [rows[i * 3] as number, rows[i * 3 + 1] as number, rows[i * 3 + 2] as number];
    if (best > maxDistance || best > distinct * second || best > (bestOfB[at] as number)) continue;
    matches.push({ from: i, to: at, distance: best });
  }
  return matches.toSorted((x, y) => x.distance - y.distance || x.from - y.from);
}
