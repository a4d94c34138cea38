import type { Bounds } from './bounds.ts';

/** One number per pixel, row by row. Connected pixels of the same number form an area; pixels of 0 belong to none. */
export type Mask = Readonly<{ values: Uint8Array; width: number; height: number }>;

/** When pixels are neighbors: if they share a side, or also if they share only a corner. */
export type Neighbors = 'sides' | 'corners';

/** Connected pixels of the same number. */
export type Area = Readonly<{
  value: number;
  bounds: Bounds;
  /** Number of pixels. */
  count: number;
  /** Its first run, and the links between the runs of all areas. */
  first: number;
  chains: Chains;
}>;

/** Runs of pixels; `next` has for each the next run of the same area, or -1. */
type Chains = Readonly<{ starts: Int32Array; ends: Int32Array; next: Int32Array }>;

/** Returns the areas that are at least `least` pixels wide or high, in the order of their first pixels. */
export function findAreas(mask: Mask, neighbors: Neighbors, least: number): Area[] {
  const { width, values } = mask;
  const runs = findRuns(mask);
  const roots = joinRuns(runs, width, neighbors === 'corners' ? 1 : 0);
  const { left, right, counts, next, last } = measureAreas(runs, roots, width);
  const chains = { starts: runs.starts, ends: runs.ends, next };
  const areas: Area[] = [];
  for (let run = 0; run < roots.length; run += 1) {
    if (roots[run] !== run) continue;
    const [x0, x1] = [left[run] as number, right[run] as number];
    const y0 = Math.floor((runs.starts[run] as number) / width);
    const y1 = Math.floor((runs.starts[last[run] as number] as number) / width) + 1;
    if (x1 - x0 < least && y1 - y0 < least) continue;
    const count = counts[run] as number;
    const value = values[runs.starts[run] as number] as number;
    const bounds = { left: x0, top: y0, right: x1, bottom: y1 };
    areas.push({ value, bounds, count, first: run, chains });
  }
  return areas;
}

/** Returns the pixels of an area, row by row, as indexes into the mask. */
export function pixelsOf({ count, first, chains: { starts, ends, next } }: Area): Int32Array {
  const pixels = new Int32Array(count);
  let k = 0;
  for (let run = first; run !== -1; run = next[run] as number) {
    for (let at = starts[run] as number; at < (ends[run] as number); at += 1) {
      pixels[k] = at;
      k += 1;
    }
  }
  return pixels;
}

/**
 * The runs of all rows: unbroken stretches of pixels of the same number, each with its first pixel and the first one after
 * it. `rows` has the first run of each row, and finally the number of runs.
 */
type Runs = Readonly<{ values: Uint8Array; starts: Int32Array; ends: Int32Array; rows: Int32Array }>;

function findRuns({ values, width, height }: Mask): Runs {
  const rows = new Int32Array(height + 1);
  let starts = new Int32Array(4096);
  let ends = new Int32Array(4096);
  let count = 0;
  for (let y = 0; y < height; y += 1) {
    rows[y] = count;
    const end = (y + 1) * width;
    for (let at = y * width; at < end;) {
      const value = values[at];
      if (value === 0) {
        // Most pixels of a mask are 0.
        do at += 1;
        while (at < end && values[at] === 0);
        continue;
      }
      const start = at;
      do at += 1;
      while (at < end && values[at] === value);
      if (count === starts.length) [starts, ends] = [doubled(starts), doubled(ends)];
      starts[count] = start;
      ends[count] = at;
      count += 1;
    }
  }
  rows[height] = count;
  return { values, starts: starts.subarray(0, count), ends: ends.subarray(0, count), rows };
}

function doubled(values: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(values.length * 2);
  larger.set(values);
  return larger;
}

/** Returns for each run the first run of its area. `reach`: 1 if runs of adjacent rows connect even at a corner, else 0. */
function joinRuns({ values, starts, ends, rows }: Runs, width: number, reach: number): Int32Array {
  const parents = new Int32Array(starts.length);
  for (let run = 0; run < parents.length; run += 1) parents[run] = run;
  for (let y = 1; y + 1 < rows.length; y += 1) {
    let above = rows[y - 1] as number;
    const first = rows[y] as number;
    for (let run = first; run < (rows[y + 1] as number); run += 1) {
      const from = (starts[run] as number) - width - reach;
      const to = (ends[run] as number) - width + reach;
      while (above < first && (ends[above] as number) <= from) above += 1;
      const value = values[starts[run] as number];
      for (let other = above; other < first && (starts[other] as number) < to; other += 1) {
        if (values[starts[other] as number] === value) join(parents, other, run);
      }
    }
  }
  for (let run = 0; run < parents.length; run += 1) parents[run] = parents[parents[run] as number] as number;
  return parents;
}

function join(parents: Int32Array, a: number, b: number): void {
  const [rootA, rootB] = [rootOf(parents, a), rootOf(parents, b)];
  if (rootA < rootB) parents[rootB] = rootA;
  else parents[rootA] = rootB;
}

function rootOf(parents: Int32Array, run: number): number {
  let root = run;
  while (parents[root] !== root) {
    parents[root] = parents[parents[root] as number] as number;
    root = parents[root] as number;
  }
  return root;
}

/** Returns the edges, the number of pixels and the chain of runs of each area, indexed by its first run. */
function measureAreas({ starts, ends }: Runs, roots: Int32Array, width: number) {
  const size = roots.length;
  const [left, right, counts] = [new Int32Array(size).fill(width), new Int32Array(size), new Int32Array(size)];
  const [next, last] = [new Int32Array(size).fill(-1), new Int32Array(size)];
  for (let run = 0; run < size; run += 1) {
    const root = roots[run] as number;
    const start = starts[run] as number;
    const count = (ends[run] as number) - start;
    const x = start % width;
    left[root] = Math.min(left[root] as number, x);
    right[root] = Math.max(right[root] as number, x + count);
    counts[root] = (counts[root] as number) + count;
    if (root !== run) next[last[root] as number] = run;
    last[root] = run;
  }
  return { left, right, counts, next, last };
}
