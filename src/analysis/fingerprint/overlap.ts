import { groupBy } from '../../lib/group-by.ts';
import { lumaSide } from './miniature.ts';
import type { Miniature } from './miniature.ts';
import type { Region } from './plane.ts';
import { apply, invert } from './transform.ts';
import type { Transform } from './transform.ts';

/** The common part of two pictures once one is laid over the other. */
export type Overlap = Readonly<{
  /** The common part, as a box in fractions of the first picture and of the second. */
  boxes: readonly [Region, Region];
  /** Its size as a fraction of the smaller of the two pictures as they overlap. */
  share: number;
  /** The fraction of its blocks whose brightness correlates. */
  agreement: number;
  correlation: number;
}>;

/** Side of a block in cells of a miniature; blocks are compared separately, so that overlays affect only their own place. */
const block = 8;
const correlates = 0.6;
/** Standard deviation of a flat block; if it is flat in both pictures, it is no evidence either way. */
const flat = 3;

/** Lays the first picture over the second and compares the overlapping parts; null if there are none. */
export function overlapOf(transform: Transform, a: Miniature, b: Miniature): Overlap | null {
  const back = invert(transform);
  if (back === null) return null;
  const there = cellsOf(back, a, b);
  const here = cellsOf(transform, b, a);
  if (there.length === 0 || here.length === 0) return null;
  const total = lumaSide * lumaSide;
  return {
    boxes: [boxOf(here), boxOf(there)],
    share: Math.max(there.length, here.length) / total,
    agreement: agreementOf(there),
    correlation: correlation(there),
  };
}

type Cell = Readonly<{ row: number; column: number; own: number; other: number }>;

/** The cells of `b` that `back` maps into `a`, with both brightness values. */
function cellsOf(back: Transform, a: Miniature, b: Miniature): Cell[] {
  const cells: Cell[] = [];
  for (let row = 0; row < lumaSide; row += 1) {
    for (let column = 0; column < lumaSide; column += 1) {
      const [x, y] = apply(back, [(column + 0.5) / lumaSide, (row + 0.5) / lumaSide]);
      if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) continue;
      cells.push({ row, column, own: b.luma[row * lumaSide + column] as number, other: interpolate(a.luma, x, y) });
    }
  }
  return cells;
}

function interpolate(luma: Uint8Array, x: number, y: number): number {
  const limit = lumaSide - 1;
  const [u, v] = [clamp(x * lumaSide - 0.5, limit), clamp(y * lumaSide - 0.5, limit)];
  const [column, row] = [Math.floor(u), Math.floor(v)];
  const [right, below] = [Math.min(column + 1, limit), Math.min(row + 1, limit)];
  const at = (r: number, c: number) => luma[r * lumaSide + c] as number;
  const upper = at(row, column) + (at(row, right) - at(row, column)) * (u - column);
  const lower = at(below, column) + (at(below, right) - at(below, column)) * (u - column);
  return upper + (lower - upper) * (v - row);
}

function clamp(value: number, limit: number): number {
  return Math.min(Math.max(value, 0), limit);
}

function boxOf(cells: readonly Cell[]): Region {
  const columns = cells.map(({ column }) => column);
  const rows = cells.map(({ row }) => row);
  const [x, y] = [Math.min(...columns), Math.min(...rows)];
  return {
    x: x / lumaSide,
    y: y / lumaSide,
    width: (Math.max(...columns) + 1 - x) / lumaSide,
    height: (Math.max(...rows) + 1 - y) / lumaSide,
  };
}

function agreementOf(cells: readonly Cell[]): number {
  const blockOf = ({ row, column }: Cell) => Math.floor(row / block) * lumaSide + Math.floor(column / block);
  const blocks = groupBy(cells, blockOf);
  const correlations = [...blocks.values()].map(correlation).filter((value) => !Number.isNaN(value));
  return correlations.filter((value) => value > correlates).length / Math.max(1, correlations.length);
}

/** Pearson's coefficient of the two brightness values; NaN if both are flat or there are too few cells. */
function correlation(cells: readonly Cell[]): number {
  if (cells.length < (block * block) / 4) return Number.NaN;
  const own = moments(cells.map((cell) => cell.own));
  const other = moments(cells.map((cell) => cell.other));
  if (own.deviation < flat && other.deviation < flat) return Number.NaN;
  if (own.deviation < 1e-6 || other.deviation < 1e-6) return 0;
  const product = cells.reduce((sum, cell) => sum + (cell.own - own.mean) * (cell.other - other.mean), 0);
  return product / cells.length / (own.deviation * other.deviation);
}

function moments(values: readonly number[]): Readonly<{ mean: number; deviation: number }> {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}
