import { loadOpenCv } from './opencv.ts';
import type { OpenCv } from './opencv.ts';
import type { Raster } from '../raster.ts';

/**
 * Corners of a picture with their surroundings (ORB: oriented FAST corners, 256 comparisons of
 * brightness each). They survive crops, borders, overlays and rotations, which hashes of whole
 * pictures do not.
 */
export type LocalFeatures = Readonly<{
  /** Size of the raster that the positions refer to. */
  width: number;
  height: number;
  /** x, y, angle in radians: three numbers per corner. */
  points: Float32Array;
  /** 32 bytes per corner. */
  descriptors: Uint8Array;
}>;

/** Maximum number of corners per picture. */
export const maxFeatures = 128;
const descriptorBytes = 32;
/** The picture is divided into this many cells each way, so that one busy spot does not take all corners. */
const cells = 5;
const detected = 900;
/** In a smaller picture no corner has all its surroundings inside the picture, and OpenCV fails. */
const smallestSide = 48;
const nothing = { points: new Float32Array(), descriptors: new Uint8Array() } as const;

/**
 * Finds the corners of a raster whose longer side is about 512; `luma` is its brightness. This is synchronous work of some
 * 20 ms, too long for the event loop.
 */
export async function findFeatures(raster: Raster, luma: Uint8Array): Promise<LocalFeatures> {
  if (Math.min(raster.width, raster.height) < smallestSide)
    return { width: raster.width, height: raster.height, ...nothing };
  const { cv } = await loadOpenCv();
  const image = cv.matFromArray(raster.height, raster.width, cv.CV_8UC1, luma as never);
  const mask = new cv.Mat();
  const found = new cv.KeyPointVector();
  const descriptors = new cv.Mat();
  const orb = new cv.ORB(detected, 1.2, 8, 16, 0, 2, cv.ORB_HARRIS_SCORE, 31, 12);
  try {
    orb.detectAndCompute(image, mask, found, descriptors);
    return choose(raster, found, descriptors);
  } finally {
    for (const each of [image, mask, found, descriptors, orb]) each.delete();
  }
}

type Corner = Readonly<{ index: number; x: number; y: number; angle: number; response: number }>;
/** A corner with the number of stronger corners in its cell. */
type Ranked = Corner & Readonly<{ rank: number }>;

const byResponse = (a: Corner, b: Corner) => b.response - a.response || a.index - b.index;
const byRank = (a: Ranked, b: Ranked) => a.rank - b.rank || byResponse(a, b);

function toCorners(found: InstanceType<OpenCv['KeyPointVector']>): Corner[] {
  const corners: Corner[] = [];
  for (let index = 0; index < found.size(); index += 1) {
    const { pt, angle, response } = found.get(index) as unknown as Corner & { pt: { x: number; y: number } };
    corners.push({ index, x: pt.x, y: pt.y, angle: (angle * Math.PI) / 180, response });
  }
  return corners;
}

/** `corners` must be sorted, the strongest first. */
function toRanked(corners: readonly Corner[], width: number, height: number): Ranked[] {
  const taken = new Int32Array(cells * (cells + 1));
  const ranked: Ranked[] = [];
  for (const { index, x, y, angle, response } of corners) {
    const cell = Math.floor((y / height) * cells) * cells + Math.min(cells - 1, Math.floor((x / width) * cells));
    const rank = taken[cell] as number;
    taken[cell] = rank + 1;
    ranked.push({ index, x, y, angle, response, rank });
  }
  return ranked;
}

function choose(
  { width, height }: Raster,
  found: InstanceType<OpenCv['KeyPointVector']>,
  descriptors: InstanceType<OpenCv['Mat']>,
): LocalFeatures {
  const chosen = toRanked(toCorners(found).toSorted(byResponse), width, height).toSorted(byRank).slice(0, maxFeatures);
  const rows = descriptors.data as Uint8Array;
  const kept = new Uint8Array(chosen.length * descriptorBytes);
  for (const [k, { index }] of chosen.entries()) {
    kept.set(rows.subarray(index * descriptorBytes, (index + 1) * descriptorBytes), k * descriptorBytes);
  }
  return {
    width,
    height,
    points: Float32Array.from(chosen.flatMap(({ x, y, angle }) => [x, y, angle])),
    descriptors: kept,
  };
}
