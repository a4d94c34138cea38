import { arrange } from '../pixels/kernels.ts';
import { sumOf } from '../fingerprint/plane.ts';
import type { Plane } from '../fingerprint/plane.ts';
import type { Raster } from '../raster.ts';
import { eachArea } from './areas.ts';
import type { Bounds } from './bounds.ts';

/** Connected pixels that are all darker, or all lighter, than their surroundings: possibly a letter. */
export type Component = Bounds &
  Readonly<{
    /** How many pixels are connected. */
    area: number;
    /** Typical width of its strokes, from area and outline. */
    stroke: number;
    /** Mean red, green, blue. */
    color: readonly [number, number, number];
    /** How much its lightness varies, as a standard deviation in steps of 256. */
    unevenness: number;
    /** How much lighter or darker it is than the rest of its box, in steps of 256. */
    contrast: number;
  }>;

/** The lightness of each pixel, row by row. */
export type GrayImage = Readonly<{ values: Uint8Array; width: number; height: number }>;

/** Lightness by the weights of television. */
export function toGray({ data, width, height, channels }: Raster): GrayImage {
  const { loops, arrays } = arrange({ source: ['bytes', data.length], gray: ['bytes', width * height] });
  arrays.source.set(data);
  loops.gray(arrays.gray.byteOffset, arrays.source.byteOffset, channels, width * height);
  return { values: arrays.gray.slice(), width, height };
}

/** The input of the component search: pixels, their lightness, and its sums. */
export type Scene = Readonly<{ raster: Raster; gray: GrayImage; plane: Plane }>;

/** What is looked for: sizes in pixels, and the least contrast with the surroundings, in steps of 256. */
export type Wanted = Readonly<{
  least: number;
  hasSize: (width: number, height: number) => boolean;
  contrast: number;
  /** Of the contrast. */
  unevenness: number;
}>;

/** The connected areas of a mask that may be letters: first the darker ones, then the lighter ones. */
export function findComponents(mask: Uint8Array, scene: Scene, wanted: Wanted): [Component[], Component[]] {
  const { width, height } = scene.gray;
  const [darker, lighter]: [Component[], Component[]] = [[], []];
  eachArea({ values: mask, width, height }, 'corners', wanted.least, ({ value, bounds, count, pixels }) => {
    if (!wanted.hasSize(bounds.right - bounds.left, bounds.bottom - bounds.top)) return;
    const { mean, ...appearance } = describe(pixels(), mask, value, scene);
    const contrast = contrastOf(bounds, { count, sum: mean * count }, scene);
    if (contrast < wanted.contrast || appearance.unevenness > wanted.unevenness * contrast) return;
    (value === 1 ? darker : lighter).push({ ...bounds, area: count, ...appearance, contrast });
  });
  return [darker, lighter];
}

function describe(
  pixels: Int32Array,
  mask: Uint8Array,
  kind: number,
  { raster, gray }: Scene,
): Pick<Component, 'stroke' | 'color' | 'unevenness'> & Readonly<{ mean: number }> {
  const { width } = gray;
  let [outline, sum, squares, red, green, blue] = [0, 0, 0, 0, 0, 0];
  for (const at of pixels) {
    if (mask[at - 1] !== kind || mask[at + 1] !== kind || mask[at - width] !== kind || mask[at + width] !== kind) {
      outline += 1;
    }
    const value = gray.values[at] as number;
    sum += value;
    squares += value * value;
    const from = at * raster.channels;
    red += raster.data[from] as number;
    green += raster.data[from + 1] as number;
    blue += raster.data[from + 2] as number;
  }
  const count = pixels.length;
  return {
    mean: sum / count,
    stroke: (2 * count) / Math.max(1, outline),
    color: [red / count, green / count, blue / count],
    unevenness: Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2)),
  };
}

/** Contrast of a component with the rest of its box and two pixels around. */
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
