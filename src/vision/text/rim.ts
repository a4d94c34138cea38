import type { Raster } from '../raster.ts';
import type { Line } from './find-lines.ts';
import { capitals, measureLine, toPatch } from './patch.ts';
import type { Distances, Patch } from './patch.ts';

/** What tells a rim, and letters from the ground behind it. */
const limits = {
  /** Of the pixels in the boxes of letters, at this rank by distance, one is of what surrounds them. */
  around: 0.72,
  /** Ground nearer to the letters' colour than this part of their surroundings is ground that a rim must part from them. */
  near: 0.5,
  /** At least so much of the line is such ground; without any the line has no use for its rim. */
  ground: 0.06,
  /** White begins at this part of the rim's distance, and ink ends there. */
  white: 0.6,
  ink: 128,
  /** How much an area of ink and the box of a letter share, as a part of both. */
  same: 0.5,
  /** Of what may be an accent, a stop or a letter that was not found: its colour, as an ink's mean, and its height. */
  mark: 70,
  tall: 1.3,
  /** It has a rim where so much of what is beside it is so light. */
  rim: 0.9,
  clear: 190,
  /** Letters that must be there again. */
  found: 0.6,
} as const;

/** An area of ink, in pixels of the patch. */
type Blot = { left: number; top: number; right: number; bottom: number; sum: number; pixels: Int32Array };
type Box = Pick<Blot, 'left' | 'top' | 'right' | 'bottom'>;

/**
 * Cuts a line out whose letters have a rim, with the letters alone: ground of their own colour behind the rim would be read with
 * them. Null where there is no such ground, or the letters are not found again.
 */
export function cutRimmed(raster: Raster, line: Line): Patch | null {
  const distances = measureLine(raster, line);
  const boxes = line.letters.map((letter) => toPatchBox(letter, distances));
  const around = distanceAround(distances, boxes);
  if (around < 40 || shareOfGround(distances, boxes, around * limits.near) < limits.ground) return null;
  const { plane, ...place } = toPatch(distances, around * limits.white);
  const blots = findBlots(plane);
  const letters = boxes.map((box) => blots.find((blot) => isSame(blot, box)));
  const found = letters.filter((blot) => blot !== undefined);
  if (found.length < boxes.length * limits.found) return null;
  const whole = boxes.filter((_, i) => letters[i] !== undefined);
  const kept = new Set([...found, ...blots.filter((blot) => isMark(blot, whole, plane))]);
  return { ...place, isRimmed: true, plane: { ...plane, values: only([...kept], plane) } };
}

function toPatchBox({ left, top, right, bottom }: Box, place: Distances): Box {
  const { scale } = place;
  const [x, y] = [place.left, place.top];
  return {
    left: Math.max(0, Math.floor((left - x) * scale)),
    top: Math.max(0, Math.floor((top - y) * scale)),
    right: Math.min(place.width, Math.ceil((right - x) * scale)),
    bottom: Math.min(place.height, Math.ceil((bottom - y) * scale)),
  };
}

/** How far what is beside the letters is from their colour. */
function distanceAround({ values, width }: Distances, boxes: readonly Box[]): number {
  const inside: number[] = [];
  for (const { left, top, right, bottom } of boxes) {
    for (let y = top; y < bottom; y += 1) {
      for (let x = left; x < right; x += 1) inside.push(values[y * width + x] as number);
    }
  }
  return inside.toSorted((a, b) => a - b)[Math.floor(inside.length * limits.around)] ?? 0;
}

/** How much of the patch outside the letters' boxes is nearer to their colour than `near`. */
function shareOfGround({ values, width, height }: Distances, boxes: readonly Box[], near: number): number {
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

function findBlots({ values, width, height }: Patch['plane']): Blot[] {
  const seen = new Uint8Array(values.length);
  const queue = new Int32Array(values.length);
  const blots: Blot[] = [];
  for (let start = 0; start < values.length; start += 1) {
    if (seen[start] === 1 || (values[start] as number) >= limits.ink) continue;
    const box = { left: width, top: height, right: 0, bottom: 0 };
    let [count, sum] = [1, 0];
    queue[0] = start;
    seen[start] = 1;
    const take = (at: number) => {
      if (seen[at] === 1 || (values[at] as number) >= limits.ink) return;
      seen[at] = 1;
      queue[count] = at;
      count += 1;
    };
    for (let next = 0; next < count; next += 1) {
      const at = queue[next] as number;
      const x = at % width;
      const y = (at - x) / width;
      sum += values[at] as number;
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x + 1);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y + 1);
      if (x > 0) take(at - 1);
      if (x + 1 < width) take(at + 1);
      if (y > 0) take(at - width);
      if (y + 1 < height) take(at + width);
    }
    blots.push({ ...box, sum, pixels: queue.slice(0, count) });
  }
  return blots;
}

function isSame(a: Box, b: Box): boolean {
  const shared = sharedArea(a, b);
  return shared >= limits.same * (area(a) + area(b) - shared);
}

/** An accent, a stop, or a letter that was not found: as dark as letters, with a rim of its own, and not within a letter. */
function isMark(blot: Blot, letters: readonly Box[], plane: Patch['plane']): boolean {
  const { width, height } = plane;
  const isAtEdge = blot.left === 0 || blot.top === 0 || blot.right === width || blot.bottom === height;
  const count = blot.pixels.length;
  return (
    !isAtEdge &&
    count >= 6 &&
    blot.sum / count <= limits.mark &&
    blot.bottom - blot.top <= capitals * limits.tall &&
    !letters.some((box) => sharedArea(blot, box) > area(blot) * 0.9) &&
    hasRim(blot, plane)
  );
}

/** Whether nearly all that is two pixels beside an area is white. */
function hasRim({ pixels }: Blot, { values, width }: Patch['plane']): boolean {
  let [beside, white] = [0, 0];
  for (const at of pixels) {
    for (const step of [-1, 1, -width, width]) {
      if ((values[at + step] ?? 255) < limits.ink) continue;
      beside += 1;
      if ((values[at + 2 * step] ?? 255) >= limits.clear) white += 1;
    }
  }
  return white >= beside * limits.rim;
}

function area({ left, top, right, bottom }: Box): number {
  return (right - left) * (bottom - top);
}

function sharedArea(a: Box, b: Box): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(0, width) * Math.max(0, height);
}

/** These areas with the soft edge around them; all else is white. */
function only(blots: readonly Blot[], { values, width }: Patch['plane']): Uint8Array {
  const kept = new Uint8Array(values.length).fill(255);
  for (const { pixels } of blots) {
    for (const at of pixels) {
      for (const beside of [at, at - 1, at + 1, at - width, at + width]) {
        if (beside >= 0 && beside < values.length) kept[beside] = values[beside] as number;
      }
    }
  }
  return kept;
}
