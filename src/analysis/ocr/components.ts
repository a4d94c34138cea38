import { sumOf } from '../fingerprint/plane.ts';
import type { Plane } from '../fingerprint/plane.ts';
import type { Raster } from '../raster.ts';
import { findAreas } from './areas.ts';
import type { Area } from './areas.ts';
import type { Bounds } from './bounds.ts';

/** Connected pixels that are all darker, or all lighter, than their surroundings: possibly a letter. */
export type Component = Bounds &
  Readonly<{
    /** Number of connected pixels. */
    area: number;
    /** Typical width of its strokes in pixels, from area and outline. */
    stroke: number;
    /** Mean red, green, blue. */
    color: readonly [number, number, number];
    /** Standard deviation of its lightness, which ranges from 0 to 255. */
    unevenness: number;
    /** Difference between its mean lightness and that of the rest of its box, 0 to 255. */
    contrast: number;
  }>;

/** The lightness of each pixel, row by row. */
export type GrayImage = Readonly<{ values: Uint8Array; width: number; height: number }>;

/** The input of the component search: pixels, their lightness, and its integral image. */
export type Scene = Readonly<{ raster: Raster; gray: GrayImage; plane: Plane }>;

/** Search criteria: sizes in pixels, and the minimum contrast with the surroundings, 0 to 255. */
export type Wanted = Readonly<{
  least: number;
  hasSize: (width: number, height: number, picture: Readonly<{ width: number; height: number }>) => boolean;
  contrast: number;
  /** Maximum, as a fraction of the contrast. */
  unevenness: number;
}>;

/** Returns the connected areas of a mask that may be letters: first the darker ones, then the lighter ones. */
export function findComponents(mask: Uint8Array, scene: Scene, wanted: Wanted): [Component[], Component[]] {
  const { width, height } = scene.gray;
  const [darker, lighter]: [Component[], Component[]] = [[], []];
  for (const area of findAreas({ values: mask, width, height }, 'corners', wanted.least)) {
    const { value, bounds, count } = area;
    if (!wanted.hasSize(bounds.right - bounds.left, bounds.bottom - bounds.top, scene.gray)) continue;
    const { sum, unevenness } = lightnessOf(area, scene.gray);
    const contrast = contrastOf(bounds, { count, sum }, scene);
    // These checks drop most areas, which are not letters.
    if (contrast < wanted.contrast || unevenness > wanted.unevenness * contrast) continue;
    const [stroke, color] = [strokeOf(area, mask, width), colorOf(area, scene.raster)];
    (value === 1 ? darker : lighter).push(toComponent(bounds, count, { stroke, color, unevenness, contrast }));
  }
  return [darker, lighter];
}

/** Sets the properties always in the same order: code that reads them stays compiled for one object shape. */
export function toComponent(
  { left, top, right, bottom }: Bounds,
  area: number,
  { stroke, color, unevenness, contrast }: Omit<Component, keyof Bounds | 'area'>,
): Component {
  return { left, top, right, bottom, area, stroke, color, unevenness, contrast };
}

function lightnessOf({ first, count, chains: { starts, ends, next } }: Area, { values }: GrayImage) {
  let [sum, squares] = [0, 0];
  for (let run = first; run !== -1; run = next[run] as number) {
    const end = ends[run] as number;
    for (let at = starts[run] as number; at < end; at += 1) {
      const value = values[at] as number;
      sum += value;
      squares += value * value;
    }
  }
  return { sum, unevenness: Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2)) };
}

/** Estimates the stroke width from the number of pixels, and of those that have a neighbor outside. */
function strokeOf(
  { value, first, count, chains: { starts, ends, next } }: Area,
  mask: Uint8Array,
  width: number,
): number {
  let outline = 0;
  for (let run = first; run !== -1; run = next[run] as number) {
    const [start, end] = [starts[run] as number, ends[run] as number];
    for (let at = start; at < end; at += 1) {
      const isInside =
        mask[at - width] === value &&
        mask[at + width] === value &&
        (at > start || mask[at - 1] === value) &&
        (at + 1 < end || mask[at + 1] === value);
      if (!isInside) outline += 1;
    }
  }
  return (2 * count) / Math.max(1, outline);
}

function colorOf({ first, count, chains }: Area, { data, channels }: Raster): Component['color'] {
  const { starts, ends, next } = chains;
  let [red, green, blue] = [0, 0, 0];
  for (let run = first; run !== -1; run = next[run] as number) {
    const end = (ends[run] as number) * channels;
    for (let at = (starts[run] as number) * channels; at < end; at += channels) {
      red += data[at] as number;
      green += data[at + 1] as number;
      blue += data[at + 2] as number;
    }
  }
  return [red / count, green / count, blue / count];
}

/** Contrast of a component with the rest of its box and a margin of two pixels. */
function contrastOf(
  { left, top, right, bottom }: Bounds,
  inside: Readonly<{ count: number; sum: number }>,
  { plane }: Scene,
): number {
  const [x0, x1] = [Math.max(0, left - 2), Math.min(plane.width, right + 2)];
  const [y0, y1] = [Math.max(0, top - 2), Math.min(plane.height, bottom + 2)];
  const sum = sumOf(plane, x0, y0, x1, y1);
  const count = (x1 - x0) * (y1 - y0) - inside.count;
  return count === 0 ? 0 : Math.abs(inside.sum / inside.count - (sum - inside.sum) / count);
}
