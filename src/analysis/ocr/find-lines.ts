import { toPlane } from '../fingerprint/plane.ts';
import type { Raster } from '../raster.ts';
import { isMostlyIn } from './bounds.ts';
import type { Bounds } from './bounds.ts';
import { findComponents, toGray } from './components.ts';
import type { Component } from './components.ts';
import { isEven } from './is-even.ts';
import { threshold } from './threshold.ts';

/** A row of possible letters, left to right. */
export type Line = Bounds &
  Readonly<{
    /** Height of its taller letters. */
    height: number;
    color: readonly [number, number, number];
    letters: readonly Component[];
  }>;

/** Surroundings that a letter is compared with: small ones for small text, large ones for large text. */
const passes = [
  { radius: 12, contrast: 16 },
  { radius: 40, contrast: 20 },
] as const;

const limits = {
  least: 7,
  /** Of the picture's shorter side. */
  most: 0.5,
  fill: [0.1, 0.95],
  /** Width of strokes by height. */
  stroke: [0.03, 0.5],
  /** Of its contrast: letters have one color except at their edges. */
  unevenness: 0.55,
  contrast: 24,
  components: 20_000,
  lines: 150,
} as const;

const alike = { height: 0.55, overlap: 0.4, gap: 1, color: 60, stroke: 2.3 } as const;

/** The shapes in a picture that may be letters, upright or sideways: for each pass the darker and the lighter ones. */
export type Shapes = Readonly<{ width: number; height: number; groups: readonly (readonly Component[])[] }>;

/** Finds the shapes once for all directions in which rows of them are looked for. */
export function findShapes(raster: Raster): Shapes {
  const gray = toGray(raster);
  const { width, height } = gray;
  const plane = toPlane(gray.values, width, height);
  const sideways = { width: height, height: width };
  const hasSize = (wide: number, high: number) =>
    hasLetterSize(wide, high, { width, height }) || hasLetterSize(high, wide, sideways);
  const groups = threshold(gray, plane, passes).flatMap((mask) =>
    findComponents(mask, { raster, gray, plane }, { ...limits, hasSize }),
  );
  return { width, height, groups };
}

/** The shapes of the picture when it is rotated clockwise by a quarter. */
export function rotateShapes({ width, height, groups }: Shapes): Shapes {
  const rotate = (shape: Component): Component => ({
    left: height - shape.bottom,
    right: height - shape.top,
    top: shape.left,
    bottom: shape.right,
    area: shape.area,
    stroke: shape.stroke,
    color: shape.color,
    unevenness: shape.unevenness,
    contrast: shape.contrast,
  });
  return { width: height, height: width, groups: groups.map((shapes) => shapes.map(rotate)) };
}

/**
 * Rows of letters from left to right: shapes of even color and stroke, of similar size and color,
 * on one line. Photographs have many such shapes, but few that satisfy all of it.
 */
export function findLines(shapes: Shapes): Line[] {
  const found = shapes.groups.flatMap((group) => {
    const letters = group.filter(
      (shape) => hasLetterSize(shape.right - shape.left, shape.bottom - shape.top, shapes) && isLetterLike(shape),
    );
    return letters.length <= limits.components ? toLines(letters) : [];
  });
  return withoutRepeats(found.filter(({ letters }) => isEven(letters))).slice(0, limits.lines);
}

function hasLetterSize(width: number, height: number, picture: Pick<Shapes, 'width' | 'height'>): boolean {
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

/** Letters that are neighbors of neighbors form a line, if it looks like one. */
function toLines(letters: readonly Component[]): Line[] {
  const sorted = letters.toSorted((a, b) => a.left - b.left);
  const group = sorted.map((_, i) => i);
  const rootOf = (i: number): number => {
    let root = i;
    while (group[root] !== root) root = group[root] as number;
    group[i] = root;
    return root;
  };
  const tallest = sorted.reduce((most, each) => Math.max(most, each.bottom - each.top), 0);
  for (const [i, letter] of sorted.entries()) {
    for (let j = i + 1; j < sorted.length; j += 1) {
      const other = sorted[j] as Component;
      if (other.left - letter.right > tallest * alike.gap) break;
      if (areNeighbors(letter, other)) group[rootOf(j)] = rootOf(i);
    }
  }
  const members = new Map<number, Component[]>();
  for (const [i, letter] of sorted.entries()) {
    const row = members.get(rootOf(i));
    if (row === undefined) members.set(rootOf(i), [letter]);
    else row.push(letter);
  }
  return joinWords([...members.values()].filter(isLine).map(toLine));
}

/** Asked of every pair of shapes that are close: the quickest conditions come first. */
function areNeighbors(a: Component, b: Component): boolean {
  const shared = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (shared <= 0) return false;
  const heightA = a.bottom - a.top;
  const heightB = b.bottom - b.top;
  const low = Math.min(heightA, heightB);
  const high = Math.max(heightA, heightB);
  return (
    low / high >= alike.height &&
    shared >= low * alike.overlap &&
    b.left - a.right <= high * alike.gap &&
    Math.max(a.stroke, b.stroke) / Math.min(a.stroke, b.stroke) <= alike.stroke &&
    distanceOf(a.color, b.color) <= alike.color
  );
}

function distanceOf(a: Component['color'], b: Component['color']): number {
  return Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2);
}

/** At least three letters, most of which are on the same line. */
function isLine(letters: readonly Component[]): boolean {
  if (letters.length < 3) return false;
  const height = median(letters.map(({ top, bottom }) => bottom - top));
  const width = (letters.at(-1)?.right ?? 0) - (letters[0]?.left ?? 0);
  if (width < height * 1.5) return false;
  const slope = slopeOf(letters);
  const feet = letters.map(({ left, right, bottom }) => bottom - slope * ((left + right) / 2));
  const foot = median(feet);
  const standing = feet.filter((each) => Math.abs(each - foot) <= Math.max(1.5, height * 0.12)).length;
  return standing / letters.length >= 0.55;
}

/** Slope of the line from letter to letter: the median over pairs that are some distance apart. */
function slopeOf(letters: readonly Component[]): number {
  const half = Math.ceil(letters.length / 2);
  const slopes = letters.slice(0, letters.length - half).map((a, i) => {
    const b = letters[i + half] as Component;
    return (b.bottom - a.bottom) / Math.max(1, (b.left + b.right - a.left - a.right) / 2);
  });
  const slope = slopes.length === 0 ? 0 : median(slopes);
  return Math.abs(slope) < 0.2 ? slope : 0;
}

function toLine(letters: readonly Component[]): Line {
  const heights = letters.map(({ top, bottom }) => bottom - top).toSorted((a, b) => a - b);
  const area = letters.reduce((sum, letter) => sum + letter.area, 0);
  const mean = (channel: 0 | 1 | 2) =>
    letters.reduce((sum, letter) => sum + letter.color[channel] * letter.area, 0) / area;
  return {
    left: Math.min(...letters.map(({ left }) => left)),
    top: Math.min(...letters.map(({ top }) => top)),
    right: Math.max(...letters.map(({ right }) => right)),
    bottom: Math.max(...letters.map(({ bottom }) => bottom)),
    height: heights[Math.floor(heights.length * 0.8)] as number,
    color: [mean(0), mean(1), mean(2)],
    letters,
  };
}

/** Words of one line are further apart than letters. */
function joinWords(lines: readonly Line[]): Line[] {
  const joined: Line[] = [];
  for (const line of lines.toSorted((a, b) => a.left - b.left)) {
    const before = joined.findIndex((each) => {
      const high = Math.max(each.height, line.height);
      const shared = Math.min(each.bottom, line.bottom) - Math.max(each.top, line.top);
      return (
        line.left - each.right <= high * 2.5 &&
        shared >= Math.min(each.bottom - each.top, line.bottom - line.top) * 0.6 &&
        Math.min(each.height, line.height) / high >= 0.6 &&
        Math.hypot(...each.color.map((value, i) => value - (line.color[i] as number))) <= alike.color
      );
    });
    if (before === -1) joined.push(line);
    else joined[before] = toLine([...(joined[before] as Line).letters, ...line.letters]);
  }
  return joined;
}

/** Both passes find the same lines; the one with more letters counts. */
function withoutRepeats(lines: readonly Line[]): Line[] {
  const kept: Line[] = [];
  for (const line of lines.toSorted((a, b) => b.letters.length - a.letters.length)) {
    if (!kept.some((each) => isMostlyIn(line, each))) kept.push(line);
  }
  return kept;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}
