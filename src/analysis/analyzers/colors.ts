import { cssColors } from './css-colors.ts';
import { colorDistance, hueDistance, toOkLab } from './oklab.ts';
import type { OkLab } from './oklab.ts';
import type { Raster } from '../raster.ts';

/** A color that covers a considerable part of a picture. */
export type Color = Readonly<{
  /** The nearest CSS name. */
  name: string;
  /** `#rrggbb`, the mean of the pixels. */
  hex: string;
  /** Fraction of the picture's opaque pixels, 0 to 100 with one decimal. */
  percent: number;
}>;

export type Colors = Readonly<{
  /** At most eight colors, the largest fraction first. */
  dominant: readonly Color[];
  /** Whether nearly all pixels are gray, apart from coding noise. */
  isBlackAndWhite: boolean;
}>;

const limits = {
  /** Groups closer than this count as one color; chosen so that the steps of corpus/colors stay distinct. */
  sameColor: 0.1,
  dominant: 8,
  /** Smaller groups are edges and noise. */
  minShare: 0.01,
  /** Largest difference between the channels of a gray, 0 to 255, and the fraction of pixels that may exceed it. */
  grayGap: 10,
  coloredFraction: 0.01,
  opaque: 128,
  rounds: 4,
} as const;

type Group = { lab: OkLab; count: number; red: number; green: number; blue: number };

/** The colors of a picture, grouped as a viewer would. Transparent pixels do not count. */
export function findColors(raster: Raster): Colors {
  const { cells, total, colored } = countCells(raster);
  if (total === 0) return { dominant: [], isBlackAndWhite: false };
  const groups = groupCells(cells)
    .filter(({ count }) => count / total >= limits.minShare)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, limits.dominant);
  return {
    dominant: groups.map((group) => toColor(group, total)),
    isBlackAndWhite: colored / total <= limits.coloredFraction,
  };
}

/** Number of values of the upper five bits of three channels. */
const cellValues = 1 << 15;

/** Counts pixels by the upper five bits of their channels. */
function countCells({ data, width, height, channels }: Raster) {
  const cells: Group[] = [];
  // The position of each value's cell in the list, from 1. A map would take three times as long.
  const places = new Uint16Array(cellValues);
  let [total, colored] = [0, 0];
  for (let at = 0, end = width * height * channels; at < end; at += channels) {
    if (channels === 4 && (data[at + 3] as number) < limits.opaque) continue;
    const [red, green, blue] = [data[at] as number, data[at + 1] as number, data[at + 2] as number];
    total += 1;
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > limits.grayGap) colored += 1;
    const key = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);
    if (places[key] === 0) places[key] = cells.push({ lab: [0, 0, 0], count: 0, red: 0, green: 0, blue: 0 });
    const cell = cells[(places[key] as number) - 1] as Group;
    cell.count += 1;
    cell.red += red;
    cell.green += green;
    cell.blue += blue;
  }
  for (const cell of cells) cell.lab = labOf(cell);
  return { cells: cells.toSorted((a, b) => b.count - a.count), total, colored };
}

function labOf({ count, red, green, blue }: Group): OkLab {
  return toOkLab(red / count, green / count, blue / count);
}

/** The most common cells start groups, and the others join the nearest group; then groups that came close are merged. */
function groupCells(cells: readonly Group[]): Group[] {
  let centers: OkLab[] = [];
  for (const { lab } of cells) {
    if (!hasClose(centers, lab)) centers.push(lab);
  }
  let groups: Group[] = [];
  for (let round = 0; round < limits.rounds; round += 1) {
    groups = joinNearest(cells, centers);
    mergeClose(groups);
    centers = groups.map(({ lab }) => lab);
  }
  return groups;
}

function joinNearest(cells: readonly Group[], centers: readonly OkLab[]): Group[] {
  const groups = centers.map((lab): Group => ({ lab, count: 0, red: 0, green: 0, blue: 0 }));
  for (const cell of cells) {
    add(groups[nearest(centers, cell.lab)] as Group, cell);
  }
  const filled = groups.filter(({ count }) => count > 0);
  for (const group of filled) group.lab = labOf(group);
  return filled;
}

function hasClose(centers: readonly OkLab[], lab: OkLab): boolean {
  for (const center of centers) if (colorDistance(center, lab) < limits.sameColor) return true;
  return false;
}

/** Index of the center nearest to a color; the first if several are equally near. */
function nearest(centers: readonly OkLab[], lab: OkLab): number {
  let [best, least] = [0, Infinity];
  for (let i = 0; i < centers.length; i += 1) {
    const distance = colorDistance(centers[i] as OkLab, lab);
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
}

function mergeClose(groups: Group[]): void {
  groups.sort((a, b) => b.count - a.count);
  for (let i = 0; i < groups.length; i += 1) {
    for (let j = groups.length - 1; j > i; j -= 1) {
      const [into, from] = [groups[i] as Group, groups[j] as Group];
      if (colorDistance(into.lab, from.lab) >= limits.sameColor) continue;
      add(into, from);
      into.lab = labOf(into);
      groups.splice(j, 1);
    }
  }
}

function add(group: Group, { count, red, green, blue }: Group): void {
  group.count += count;
  group.red += red;
  group.green += green;
  group.blue += blue;
}

function toColor(group: Group, total: number): Color {
  const { lab, count, red, green, blue } = group;
  const digits = [red, green, blue].map((sum) =>
    Math.round(sum / count)
      .toString(16)
      .padStart(2, '0'),
  );
  return { name: nameColor(lab), hex: `#${digits.join('')}`, percent: Math.round((count / total) * 1000) / 10 };
}

const named = cssColors.map(({ name, channels }) => ({ name, lab: toOkLab(...channels) }));

/** The CSS name of the color that looks nearest. */
function nameColor(lab: OkLab): string {
  let [best, least] = ['', Infinity];
  for (const { name, lab: each } of named) {
    const distance = hueDistance(lab, each);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/** The same for a color of six hexadecimal digits. */
export function nameOfColor(hex: string): string {
  const value = Number.parseInt(hex, 16);
  return nameColor(toOkLab(value >> 16, (value >> 8) & 255, value & 255));
}
