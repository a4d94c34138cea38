import { sampleRegion } from './plane.ts';
import type { Plane, Region } from './plane.ts';
import { cosineBasis, toBits, toSpectrum, rotateHash, rotations } from './spectrum.ts';

/**
 * Hashes of 64 bits of a picture and of some parts of it: the signs of the lowest 8 × 8 frequencies.
 * Coarser than PDQ, so they tolerate overlays and small crops; a crop of a picture has the hash of one of
 * its parts. They only select candidates for close comparison: unrelated pictures may be near by chance.
 */

type Part = Readonly<{ name: string; of: (aspect: number) => Region }>;

const centered = (width: number, height = width): Region => ({
  x: (1 - width) / 2,
  y: (1 - height) / 2,
  width,
  height,
});
const fixed = (name: string, region: Region): Part => ({ name, of: () => region });

/** The largest centered part with these proportions. */
function centeredTo(proportions: number): Part['of'] {
  return (aspect) => (aspect > proportions ? centered(proportions / aspect, 1) : centered(1, aspect / proportions));
}

/** The first is the whole picture; others are typical crops in editors: margins, corners, sides, halves, common ratios. */
const parts: readonly Part[] = [
  fixed('whole', centered(1)),
  fixed('center 90 %', centered(0.9)),
  fixed('center 80 %', centered(0.8)),
  fixed('center 70 %', centered(0.7)),
  fixed('upper left 80 %', { x: 0, y: 0, width: 0.8, height: 0.8 }),
  fixed('upper right 80 %', { x: 0.2, y: 0, width: 0.8, height: 0.8 }),
  fixed('lower left 80 %', { x: 0, y: 0.2, width: 0.8, height: 0.8 }),
  fixed('lower right 80 %', { x: 0.2, y: 0.2, width: 0.8, height: 0.8 }),
  fixed('upper 70 %', { x: 0, y: 0, width: 1, height: 0.7 }),
  fixed('lower 70 %', { x: 0, y: 0.3, width: 1, height: 0.7 }),
  fixed('left 70 %', { x: 0, y: 0, width: 0.7, height: 1 }),
  fixed('right 70 %', { x: 0.3, y: 0, width: 0.7, height: 1 }),
  fixed('upper half', { x: 0, y: 0, width: 1, height: 0.5 }),
  fixed('lower half', { x: 0, y: 0.5, width: 1, height: 0.5 }),
  fixed('left half', { x: 0, y: 0, width: 0.5, height: 1 }),
  fixed('right half', { x: 0.5, y: 0, width: 0.5, height: 1 }),
  fixed('middle rows', centered(1, 0.7)),
  fixed('middle columns', centered(0.7, 1)),
  { name: 'square', of: centeredTo(1) },
  { name: '16:9', of: centeredTo(16 / 9) },
];

export const regionCount = parts.length;
export const regionHashBytes = 8;
/** Bytes of the hashes of all parts of a picture. */
export const regionBytes = regionCount * regionHashBytes;
const side = 32;
const basis = cosineBasis(side, 8);

/** Computes the hashes of all parts, one after the other. */
export function hashRegions(plane: Plane): Uint8Array {
  const hashes = new Uint8Array(regionBytes);
  for (const [k, { of }] of parts.entries()) {
    const region = of(plane.width / plane.height);
    hashes.set(toBits(toSpectrum(sampleRegion(plane, region, side), basis)), k * regionHashBytes);
  }
  return hashes;
}

/** The hashes to compare with each part of another picture; `counts` is their number per part. */
type RegionQuery = Readonly<{ hashes: Uint8Array; counts: readonly number[] }>;

/**
 * Creates the query for edits of a picture, and for pictures of which it is an edit. It compares the whole, in all
 * rotations, with the whole; the whole and its mirror image with each part; each part and its mirror image
 * with the whole; each part with the same part.
 */
export function toRegionQuery(hashes: Uint8Array): RegionQuery {
  const own = Array.from({ length: regionCount }, (_, k) =>
    hashes.subarray(k * regionHashBytes, (k + 1) * regionHashBytes),
  );
  const [whole, ...others] = own as [Uint8Array, ...Uint8Array[]];
  const mirror = (hash: Uint8Array) => rotateHash(hash, 'flipHorizontal');
  const forWhole = [...rotations.map((rotation) => rotateHash(whole, rotation)), ...others, ...others.map(mirror)];
  const perRegion = [forWhole, ...others.map((part) => [whole, mirror(whole), part])];
  const list = perRegion.flat();
  const joined = new Uint8Array(list.length * regionHashBytes);
  for (const [k, hash] of list.entries()) joined.set(hash, k * regionHashBytes);
  return { hashes: joined, counts: perRegion.map((each) => each.length) };
}
