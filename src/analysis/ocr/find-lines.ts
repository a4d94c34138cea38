import type { Raster } from '../raster.ts';
import { isMostlyIn } from './bounds.ts';
import { findComponents, toComponent } from './components.ts';
import type { Component } from './components.ts';
import { isEven } from './is-even.ts';
import { toLines } from './join-letters.ts';
import type { Line } from './join-letters.ts';
import { threshold } from './threshold.ts';

/** Surroundings that a pixel is compared with: small ones for small text, large ones for large text. */
const passes = [
  { radius: 12, contrast: 16 },
  { radius: 40, contrast: 20 },
] as const;

const limits = {
  least: 7,
  /** Maximum height, as a fraction of the picture's shorter side. */
  most: 0.5,
  fill: [0.1, 0.95],
  /** Stroke width as a fraction of the height. */
  stroke: [0.03, 0.5],
  /** Maximum, as a fraction of the contrast: letters have one color except at their edges. */
  unevenness: 0.55,
  contrast: 24,
  components: 20_000,
  lines: 150,
} as const;

/** The shapes in a picture that may be letters, upright or sideways: for each pass the darker and the lighter ones. */
export type Shapes = Readonly<{ width: number; height: number; groups: readonly (readonly Component[])[] }>;

/** Finds the shapes, once for all directions in which they may form lines. */
export function findShapes(raster: Raster): Shapes {
  const { width, height } = raster;
  const { gray, plane, masks } = threshold(raster, passes);
  const groups = masks.flatMap((mask) =>
    findComponents(mask, { raster, gray, plane }, { ...limits, hasSize: hasSizeOfLetter }),
  );
  return { width, height, groups };
}

/** Returns the shapes of the picture rotated clockwise by 90°. */
export function rotateShapes({ width, height, groups }: Shapes): Shapes {
  return { width: height, height: width, groups: groups.map((shapes) => rotateEach(shapes, height)) };
}

function rotateEach(shapes: readonly Component[], height: number): Component[] {
  const rotated: Component[] = [];
  for (const { left, top, right, bottom, area, stroke, color, unevenness, contrast } of shapes) {
    const bounds = { left: height - bottom, top: left, right: height - top, bottom: right };
    rotated.push(toComponent(bounds, area, { stroke, color, unevenness, contrast }));
  }
  return rotated;
}

/**
 * Finds rows of letters from left to right: shapes of even color and stroke, of similar size and color,
 * on one line. Photographs have many letter-like shapes, but few rows that meet all conditions.
 */
export function findLines(shapes: Shapes): Line[] {
  const found = shapes.groups.flatMap((group) => {
    const letters = lettersAmong(group, shapes);
    return letters.length <= limits.components ? toLines(letters) : [];
  });
  return withoutRepeats(found.filter(({ letters }) => isEven(letters))).slice(0, limits.lines);
}

function lettersAmong(group: readonly Component[], picture: Size): Component[] {
  const letters: Component[] = [];
  for (const shape of group) {
    const [width, height] = [shape.right - shape.left, shape.bottom - shape.top];
    if (hasLetterSize(width, height, picture) && isLetterLike(shape)) letters.push(shape);
  }
  return letters;
}

type Size = Pick<Shapes, 'width' | 'height'>;

/** Whether a letter may have this size, upright or sideways. */
function hasSizeOfLetter(width: number, height: number, picture: Size): boolean {
  const sideways = { width: picture.height, height: picture.width };
  return hasLetterSize(width, height, picture) || hasLetterSize(height, width, sideways);
}

function hasLetterSize(width: number, height: number, picture: Size): boolean {
  const most = Math.min(picture.width, picture.height) * limits.most;
  return height >= limits.least && height <= most && width <= height * 6 && width <= picture.width / 2;
}

function isLetterLike({ left, right, top, bottom, area, stroke }: Component): boolean {
  const [width, height] = [right - left, bottom - top];
  const fill = area / (width * height);
  const isBar = width < height * 0.5;
  const thickness = stroke / height;
  return (
    fill >= limits.fill[0] &&
    (fill <= limits.fill[1] || isBar) &&
    thickness >= limits.stroke[0] &&
    thickness <= limits.stroke[1]
  );
}

/** Drops duplicates: if both passes found the same line, the one with more letters is kept. */
function withoutRepeats(lines: readonly Line[]): Line[] {
  const kept: Line[] = [];
  for (const line of lines.toSorted((a, b) => b.letters.length - a.letters.length)) {
    if (!kept.some((each) => isMostlyIn(line, each))) kept.push(line);
  }
  return kept;
}
