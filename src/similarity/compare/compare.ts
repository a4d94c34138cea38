import {
  align,
  groundFraction,
  miniatureDifference,
  overlapOf,
  pdqDistance,
  rotateHash,
  rotations,
} from '../../analysis/index.ts';
import type { Alignment, Details, Overlap, Region, Rotation } from '../../analysis/index.ts';
import { isOtherForm, isPartDoubtful } from './other-form.ts';
import type { FormFeatures } from './other-form.ts';
import type { DuplicateTier, Thresholds } from './tiers.ts';

/** One of two pictures to compare. */
export type Side = Readonly<{
  pdq: Uint8Array;
  quality: number;
  /** Hashes of parts, if known. */
  regions?: Uint8Array;
  /** SHA-256 of the file, if known. */
  checksum?: string | null;
  details: Details | null;
  /** Details of the mirror image; known only for pictures whose pixels are at hand. */
  mirrored?: Details | null;
}>;

/** Why a picture matched another. */
export type Match = Readonly<{
  tier: DuplicateTier;
  /** What the tier was determined by. */
  by: 'checksum' | 'pixels' | 'hash' | 'geometry' | 'verdict';
  /** Bits of 256 that differ, in the best rotation. */
  distance: number;
  /** How to rotate or flip the reference so that it looks like the found picture. */
  rotation: Rotation;
  /** Degrees clockwise beyond the rotation; 0 if geometry was not compared. */
  degrees: number;
  /** Whether one of them shows only a part of the other. */
  isCrop: boolean;
  /** What both show, as a box in the reference and in the found picture; null if geometry was not compared. */
  overlap: readonly [Region, Region] | null;
  /** Whether corners or pixels were compared and agree. */
  isVerified: boolean;
}>;

/** Compares two pictures as closely as their data allows; null if they do not match. */
export function compare(reference: Side, found: Side, thresholds: Thresholds): Match | null {
  const rotated = nearestRotation(reference.pdq, found.pdq);
  if (reference.checksum != null && reference.checksum === found.checksum) {
    return { ...plain, tier: 'near', by: 'checksum', distance: rotated.distance, isVerified: true };
  }
  if (Math.min(reference.quality, found.quality) < thresholds.minQuality) {
    // Not by corners either: any two pages with a single line of text have corners in the same places.
    return comparePixels(reference, found, thresholds);
  }
  const straight = pdqDistance(reference.pdq, found.pdq);
  if (straight <= thresholds.near) return { ...plain, tier: 'near', by: 'hash', distance: straight };
  if (straight <= thresholds.same) {
    if (isOtherForm(fingerprintOf(reference), fingerprintOf(found), thresholds)) {
      return compareCorners(reference, found, rotated, thresholds);
    }
    return { ...plain, tier: 'same', by: 'hash', distance: straight };
  }
  if (rotated.distance <= thresholds.same) {
    return { ...plain, tier: 'edited', by: 'hash', distance: rotated.distance, rotation: rotated.rotation };
  }
  return compareCorners(reference, found, rotated, thresholds);
}

/** Whether a close comparison could change the result of comparing hashes. */
export function needsCloser(reference: Side, found: Side, thresholds: Thresholds): boolean {
  const match = compare({ ...reference, details: null }, { ...found, details: null }, thresholds);
  if (match === null) return true;
  return match.tier === 'same' && isPartDoubtful(reference.regions, found.regions, thresholds);
}

function fingerprintOf({ regions, details }: Side): FormFeatures {
  return { luma: details?.miniature.luma ?? null, ...(regions && { regions }) };
}

/** Verifies a match by hash with a close comparison, for `i====`. Null if corners and pixels disagree. */
export function verify(match: Match, reference: Side, found: Side, thresholds: Thresholds): Match | null {
  if (match.isVerified) return match;
  const rotated = { rotation: match.rotation, distance: match.distance };
  const closer = compareCorners(reference, found, rotated, thresholds);
  if (closer !== null) return { ...closer, tier: match.tier, distance: match.distance };
  const pixels = comparePixels(reference, found, thresholds);
  return pixels && { ...pixels, tier: match.tier, distance: match.distance };
}

/** A match before corners or pixels are compared. */
export const plain = { rotation: 'identity', degrees: 0, isCrop: false, overlap: null, isVerified: false } as const;
const everything: Region = { x: 0, y: 0, width: 1, height: 1 };

type RotatedDistance = Readonly<{ rotation: Rotation; distance: number }>;

/** Rotated hashes of references, cached because one reference is compared with many pictures. */
const rotatedHashes = new WeakMap<Uint8Array, readonly Uint8Array[]>();

function nearestRotation(reference: Uint8Array, found: Uint8Array): RotatedDistance {
  let hashes = rotatedHashes.get(reference);
  if (hashes === undefined) {
    hashes = rotations.map((rotation) => rotateHash(reference, rotation));
    rotatedHashes.set(reference, hashes);
  }
  let [at, distance] = [0, Number.POSITIVE_INFINITY];
  for (const [k, hash] of hashes.entries()) {
    const bits = pdqDistance(hash, found);
    if (bits < distance) [at, distance] = [k, bits];
  }
  return { rotation: rotations[at] as Rotation, distance };
}

/** Number of bits by which two hashes differ, in the best rotation. */
export function rotatedDistance(reference: Uint8Array, found: Uint8Array): number {
  return nearestRotation(reference, found).distance;
}

function comparePixels(reference: Side, found: Side, { pixels }: Thresholds): Match | null {
  const [a, b] = [reference.details, found.details];
  if (a === null || b === null || !sameShape(a, b)) return null;
  const { mean, largest } = miniatureDifference(a.miniature, b.miniature);
  if (mean > pixels.mean || largest > pixels.largest) return null;
  const distance = pdqDistance(reference.pdq, found.pdq);
  return { ...plain, tier: 'near', by: 'pixels', distance, overlap: [everything, everything], isVerified: true };
}

/** Same aspect ratio, within 2 %. */
function sameShape(a: Details, b: Details): boolean {
  const ratio = (a.features.width * b.features.height) / (a.features.height * b.features.width);
  return ratio > 0.98 && ratio < 1.02;
}

function compareCorners(
  reference: Side,
  found: Side,
  { distance }: RotatedDistance,
  thresholds: Thresholds,
): Match | null {
  if (found.details === null) return null;
  const straight = lay(reference.details, found.details);
  const flipped = lay(reference.mirrored ?? null, found.details);
  const isFlipped = (flipped?.alignment.inliers ?? 0) > (straight?.alignment.inliers ?? 0);
  const best = isFlipped ? flipped : straight;
  if (best === null || !agrees(best, thresholds)) return null;
  const { rotation, degrees } = rotationOf(best.alignment.degrees, isFlipped);
  const { boxes } = best.overlap;
  return {
    tier: 'edited',
    by: 'geometry',
    distance,
    rotation,
    degrees,
    isCrop: boxes.some(({ width, height }) => width * height < 0.96),
    overlap: isFlipped ? [flipBox(boxes[0]), boxes[1]] : boxes,
    isVerified: true,
  };
}

/** `ground` is the fraction of plain background, of whichever picture has less. */
type Laid = Readonly<{ alignment: Alignment; overlap: Overlap; ground: number }>;

function lay(reference: Details | null, found: Details): Laid | null {
  if (reference === null) return null;
  const alignment = align(reference.features, found.features);
  if (alignment === null) return null;
  const overlap = overlapOf(alignment.transform, reference.miniature, found.miniature);
  const ground = Math.min(groundFraction(reference.miniature), groundFraction(found.miniature));
  return overlap && { alignment, overlap, ground };
}

/** Corners alone would make two pictures with the same logo or text the same picture, so pixels decide. */
function agrees({ alignment, overlap, ground }: Laid, thresholds: Thresholds): boolean {
  const { manyCorners, fewCorners, onGround } = thresholds;
  // Blocks of plain background agree no matter what is on it: forms share their ruled lines, signs their outlines.
  const isPlain = ground >= onGround.share;
  if (isPlain && alignment.inliers < onGround.corners && overlap.correlation < onGround.correlation) return false;
  return [manyCorners, fewCorners].some(
    ({ corners, agreement }) => alignment.inliers >= corners && overlap.agreement >= agreement,
  );
}

const quarters = ['identity', 'rotate90', 'rotate180', 'rotate270'] as const;
/** The mirror image, rotated by this many quarters. */
const flippedQuarters = ['flipHorizontal', 'transverse', 'flipVertical', 'transpose'] as const;

/** The nearest quarter rotation, and the rest of the angle. */
function rotationOf(degrees: number, isFlipped: boolean): Readonly<{ rotation: Rotation; degrees: number }> {
  const quarter = Math.round(degrees / 90);
  const rotation = (isFlipped ? flippedQuarters : quarters)[(quarter + 4) % 4] as Rotation;
  return { rotation, degrees: Math.round((degrees - quarter * 90) * 10) / 10 };
}

function flipBox(box: Region): Region {
  return { ...box, x: 1 - box.x - box.width };
}
