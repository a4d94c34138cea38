import type { Raster } from '../raster.ts';
import { findAreas, pixelsOf } from './areas.ts';
import { areaOf, sharedArea } from './bounds.ts';
import type { Bounds } from './bounds.ts';
import type { Line } from './join-letters.ts';
import { capitals, measureLine, toPatch } from './patch.ts';
import type { ColorDistances, Patch } from './patch.ts';

/** Thresholds that separate an outline and letters from the background. */
const limits = {
  /** Quantile of the color distances in the letters' boxes that belongs to the letters' surroundings. */
  around: 0.72,
  /** Background within this fraction of the surroundings' distance from the letters' color needs an outline. */
  near: 0.5,
  /** Minimum fraction of the line that is such background; with less, the outline is not needed. */
  ground: 0.06,
  /** Pixels are white from this fraction of the surroundings' distance on; those darker than `ink` are ink. */
  white: 0.6,
  ink: 128,
  /** Minimum overlap of a blob and the box of its letter, as a fraction of their union. */
  same: 0.5,
  /** For a possible accent, period or missed letter: maximum mean lightness, and maximum height in heights of capitals. */
  mark: 70,
  tall: 1.3,
  /** A blob has an outline if at least this fraction of the pixels two steps away is as light as `clear`. */
  outline: 0.9,
  clear: 190,
  /** Minimum fraction of letters that must be found again. */
  found: 0.6,
} as const;

/** A blob of ink in a patch: its pixels, and the sum of their lightness. */
type Blob = Bounds & Readonly<{ sum: number; pixels: Int32Array }>;

/**
 * Cuts out a line whose letters have an outline and keeps only the letters: background of the same color beyond the
 * outline would be read with them. Null if there is no such background, or too few letters are found again.
 */
export function cutOutlined(raster: Raster, line: Line): Patch | null {
  const distances = measureLine(raster, line);
  const boxes = line.letters.map((letter) => toPatchBox(letter, distances));
  const around = distanceAround(distances, boxes);
  if (around < 40 || fractionOfGround(distances, boxes, around * limits.near) < limits.ground) return null;
  const { plane, ...place } = toPatch(distances, around * limits.white);
  const blobs = findBlobs(plane);
  const letters = boxes.map((box) => blobs.find((blob) => isSame(blob, box)));
  const found = letters.filter((blob) => blob !== undefined);
  if (found.length < boxes.length * limits.found) return null;
  const whole = boxes.filter((_, i) => letters[i] !== undefined);
  const kept = new Set([...found, ...blobs.filter((blob) => isMark(blob, whole, plane))]);
  return { ...place, isOutlined: true, plane: { ...plane, values: only([...kept], plane) } };
}

function toPatchBox({ left, top, right, bottom }: Bounds, place: ColorDistances): Bounds {
  const { scale } = place;
  const [x, y] = [place.left, place.top];
  return {
    left: Math.max(0, Math.floor((left - x) * scale)),
    top: Math.max(0, Math.floor((top - y) * scale)),
    right: Math.min(place.width, Math.ceil((right - x) * scale)),
    bottom: Math.min(place.height, Math.ceil((bottom - y) * scale)),
  };
}

/** Color distance of the letters' surroundings from the letters. */
function distanceAround({ values, width }: ColorDistances, boxes: readonly Bounds[]): number {
  const inside: number[] = [];
  for (const { left, top, right, bottom } of boxes) {
    for (let y = top; y < bottom; y += 1) {
      for (let x = left; x < right; x += 1) inside.push(values[y * width + x] as number);
    }
  }
  return inside.toSorted((a, b) => a - b)[Math.floor(inside.length * limits.around)] ?? 0;
}

/** Fraction of the patch that is outside the letters' boxes but nearer to their color than `near`. */
function fractionOfGround({ values, width, height }: ColorDistances, boxes: readonly Bounds[], near: number): number {
  const isLetter = new Uint8Array(width * height);
  for (const { left, top, right, bottom } of boxes) {
    for (let y = top; y < bottom; y += 1) isLetter.fill(1, y * width + left, y * width + right);
  }
  let ground = 0;
  for (let at = 0; at < values.length; at += 1) {
    if (isLetter[at] === 0 && (values[at] as number) < near) ground += 1;
  }
  return ground / values.length;
}

/** Finds blobs of ink; those that touch only at a corner are separate. */
function findBlobs({ values, width, height }: Patch['plane']): Blob[] {
  const ink = values.map((value) => (value < limits.ink ? 1 : 0));
  return findAreas({ values: ink, width, height }, 'sides', 1).map((area) => {
    const pixels = pixelsOf(area);
    const sum = pixels.reduce((total, at) => total + (values[at] as number), 0);
    return { ...area.bounds, sum, pixels };
  });
}

function isSame(a: Bounds, b: Bounds): boolean {
  const shared = sharedArea(a, b);
  return shared >= limits.same * (areaOf(a) + areaOf(b) - shared);
}

/** Whether a blob may be an accent, period or missed letter: as dark as letters, with its own outline, outside letters. */
function isMark(blob: Blob, letters: readonly Bounds[], plane: Patch['plane']): boolean {
  const { width, height } = plane;
  const isAtEdge = blob.left === 0 || blob.top === 0 || blob.right === width || blob.bottom === height;
  const count = blob.pixels.length;
  return (
    !isAtEdge &&
    count >= 6 &&
    blob.sum / count <= limits.mark &&
    blob.bottom - blob.top <= capitals * limits.tall &&
    !letters.some((box) => sharedArea(blob, box) > areaOf(blob) * 0.9) &&
    hasOutline(blob, plane)
  );
}

/** Whether nearly all pixels two steps away from a blob are white. */
function hasOutline({ pixels }: Blob, { values, width }: Patch['plane']): boolean {
  let [beside, white] = [0, 0];
  for (const at of pixels) {
    for (const step of [-1, 1, -width, width]) {
      if ((values[at + step] ?? 255) < limits.ink) continue;
      beside += 1;
      if ((values[at + 2 * step] ?? 255) >= limits.clear) white += 1;
    }
  }
  return white >= beside * limits.outline;
}

/** Keeps these blobs with the soft edge around them; everything else becomes white. */
function only(blobs: readonly Blob[], { values, width }: Patch['plane']): Uint8Array {
  const kept = new Uint8Array(values.length).fill(255);
  for (const { pixels } of blobs) {
    for (const at of pixels) {
      for (const beside of [at, at - 1, at + 1, at - width, at + width]) {
        if (beside >= 0 && beside < values.length) kept[beside] = values[beside] as number;
      }
    }
  }
  return kept;
}
