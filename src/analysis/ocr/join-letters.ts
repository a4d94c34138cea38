import { groupBy } from '../../lib/group-by.ts';
import type { Bounds } from './bounds.ts';
import type { Component } from './components.ts';

/** A row of possible letters, left to right. */
export type Line = Bounds &
  Readonly<{
    /** Height of its taller letters (80th percentile). */
    height: number;
    color: readonly [number, number, number];
    letters: readonly Component[];
  }>;

const alike = { height: 0.55, overlap: 0.4, gap: 1, color: 60, stroke: 2.3 } as const;

/** Groups letters that are connected through neighbors, and returns the groups that look like lines. */
export function toLines(letters: readonly Component[]): Line[] {
  const sorted = letters.toSorted(byLeft);
  const group = groupNeighbors(sorted);
  const members = groupBy(sorted, (_, index) => rootOf(group, index));
  return joinWords([...members.values()].filter(isLine).map(toLine));
}

/** Returns for each letter, from left to right, its parent in its group; the root represents the group (union-find). */
function groupNeighbors(letters: readonly Component[]): Int32Array {
  const group = new Int32Array(letters.length);
  let tallest = 0;
  for (let i = 0; i < group.length; i += 1) {
    group[i] = i;
    tallest = Math.max(tallest, heightOf(letters[i] as Component));
  }
  for (let i = 0; i < group.length; i += 1) {
    const letter = letters[i] as Component;
    for (let j = i + 1; j < group.length; j += 1) {
      const other = letters[j] as Component;
      if (other.left - letter.right > tallest * alike.gap) break;
      if (areNeighbors(letter, other)) group[rootOf(group, j)] = rootOf(group, i);
    }
  }
  return group;
}

function rootOf(group: Int32Array, i: number): number {
  let root = i;
  while (group[root] !== root) root = group[root] as number;
  group[i] = root;
  return root;
}

// Named and not nested in other functions: compiled code of nested ones is lost when they are garbage-collected.
const byLeft = (a: Bounds, b: Bounds) => a.left - b.left;
const byNumber = (a: number, b: number) => a - b;
const heightOf = ({ top, bottom }: Bounds) => bottom - top;
const leftOf = ({ left }: Bounds) => left;
const topOf = ({ top }: Bounds) => top;
const rightOf = ({ right }: Bounds) => right;
const bottomOf = ({ bottom }: Bounds) => bottom;

/** Called for every pair of shapes that are close, so the quickest conditions come first. */
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

/** Whether there are at least three letters, most of them on the same baseline. */
function isLine(letters: readonly Component[]): boolean {
  if (letters.length < 3) return false;
  const height = median(letters.map(heightOf));
  const width = (letters.at(-1)?.right ?? 0) - (letters[0]?.left ?? 0);
  if (width < height * 1.5) return false;
  const slope = slopeOf(letters);
  const feet: number[] = [];
  for (const { left, right, bottom } of letters) feet.push(bottom - slope * ((left + right) / 2));
  const foot = median(feet);
  let standing = 0;
  for (const each of feet) if (Math.abs(each - foot) <= Math.max(1.5, height * 0.12)) standing += 1;
  return standing / letters.length >= 0.55;
}

/** Slope of the baseline: the median over pairs of letters that are some distance apart. */
function slopeOf(letters: readonly Component[]): number {
  const half = Math.ceil(letters.length / 2);
  const slopes: number[] = [];
  for (let i = half; i < letters.length; i += 1) {
    const [a, b] = [letters[i - half] as Component, letters[i] as Component];
    slopes.push((b.bottom - a.bottom) / Math.max(1, (b.left + b.right - a.left - a.right) / 2));
  }
  const slope = slopes.length === 0 ? 0 : median(slopes);
  return Math.abs(slope) < 0.2 ? slope : 0;
}

function toLine(letters: readonly Component[]): Line {
  const heights = letters.map(heightOf).toSorted(byNumber);
  return {
    left: Math.min(...letters.map(leftOf)),
    top: Math.min(...letters.map(topOf)),
    right: Math.max(...letters.map(rightOf)),
    bottom: Math.max(...letters.map(bottomOf)),
    height: heights[Math.floor(heights.length * 0.8)] as number,
    color: meanColor(letters),
    letters,
  };
}

/** Mean color of all pixels of the letters. */
function meanColor(letters: readonly Component[]): Line['color'] {
  let [area, red, green, blue] = [0, 0, 0, 0];
  for (const letter of letters) {
    area += letter.area;
    red += letter.color[0] * letter.area;
    green += letter.color[1] * letter.area;
    blue += letter.color[2] * letter.area;
  }
  return [red / area, green / area, blue / area];
}

/** Joins the words of a line, which are further apart than letters. */
function joinWords(lines: readonly Line[]): Line[] {
  const joined: Line[] = [];
  for (const line of lines.toSorted(byLeft)) {
    const before = joined.findIndex((each) => followsOn(each, line));
    if (before === -1) joined.push(line);
    else joined[before] = toLine([...(joined[before] as Line).letters, ...line.letters]);
  }
  return joined;
}

function followsOn(before: Line, line: Line): boolean {
  const high = Math.max(before.height, line.height);
  const shared = Math.min(before.bottom, line.bottom) - Math.max(before.top, line.top);
  return (
    line.left - before.right <= high * 2.5 &&
    shared >= Math.min(heightOf(before), heightOf(line)) * 0.6 &&
    Math.min(before.height, line.height) / high >= 0.6 &&
    distanceOf(before.color, line.color) <= alike.color
  );
}

function median(values: readonly number[]): number {
  return values.toSorted(byNumber)[values.length >> 1] as number;
}
