import { graphql } from '../api/graphql.ts';
import { SharedPart } from '../api/documents.ts';
import type { SharedPartQuery } from '../api/documents.ts';
import { formatPlainValue } from '../../../src/search/formula/format.ts';
import { formulaOfIds } from '../edit/formula-of-ids.ts';

/** Where a picture lies on another one, in fractions of the other's sides; if flipped, it is mirrored as a whole. */
export type Placement = Readonly<{ left: number; top: number; width: number; height: number; isMirrored: boolean }>;

type Match = NonNullable<SharedPartQuery['images']['results'][number]['match']>;

/** Where a picture shows what the reference shows; null if both show the same, or if the place is unknown. */
export function placementOf({ flip, rotation, overlap, overlapReference }: Match): Placement | null {
  if (overlap === null || overlapReference === null || rotation !== 0) return null;
  if (overlap.w <= 0 || overlap.h <= 0) return null;
  const [width, height] = [overlapReference.w / overlap.w, overlapReference.h / overlap.h];
  const x = flip ? 1 - overlap.x - overlap.w : overlap.x;
  return {
    left: overlapReference.x - x * width,
    top: overlapReference.y - overlap.y * height,
    width,
    height,
    isMirrored: flip,
  };
}

/** Reads the placement of a picture over the reference. */
export async function readPlacement(reference: string, id: string, signal: AbortSignal): Promise<Placement | null> {
  const q = `${formulaOfIds([id])} i=${formatPlainValue(reference)}`;
  const { images } = await graphql(SharedPart, { q }, signal);
  const match = images.results[0]?.match;
  return match ? placementOf(match) : null;
}
