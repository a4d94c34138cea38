import { arrange } from '../pixels/kernels.ts';
import type { Raster } from '../raster.ts';

/** A part of a picture, in fractions of its width and height. */
export type Region = Readonly<{ x: number; y: number; width: number; height: number }>;

/** A gray picture as an integral image, sums from the upper left corner: the mean of any rectangle takes four lookups. */
export type Plane = Readonly<{ width: number; height: number; sums: Int32Array }>;

/** Luma of each pixel with the weights of ITU-R BT.601, as PDQ uses them. */
export function toLuma({ data, width, height, channels }: Raster): Uint8Array {
  const luma = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < luma.length; i += 1, at += channels) {
    luma[i] = Math.round(
      0.299 * (data[at] as number) + 0.587 * (data[at + 1] as number) + 0.114 * (data[at + 2] as number),
    );
  }
  return luma;
}

/** Creates the integral image of a gray picture of at most 8 million pixels: larger sums would not fit into 32 bits. */
export function toPlane(gray: Uint8Array, width: number, height: number): Plane {
  const { loops, arrays } = arrange({ gray: ['bytes', gray.length], sums: ['integers', (width + 1) * (height + 1)] });
  arrays.gray.set(gray);
  loops.sums(arrays.sums.byteOffset, arrays.gray.byteOffset, width, height);
  return { width, height, sums: arrays.sums.slice() };
}

/** Means of a grid of `side` × `side` cells in a region; a cell smaller than a pixel takes the value of its pixel. */
export function sampleRegion(plane: Plane, region: Region, side: number): Float64Array {
  const xs = cuts(region.x, region.width, side, plane.width);
  const ys = cuts(region.y, region.height, side, plane.height);
  const means = new Float64Array(side * side);
  for (let row = 0; row < side; row += 1) {
    const y0 = ys[row] as number;
    const y1 = Math.max(ys[row + 1] as number, y0 + 1);
    for (let column = 0; column < side; column += 1) {
      const x0 = xs[column] as number;
      const x1 = Math.max(xs[column + 1] as number, x0 + 1);
      means[row * side + column] = sumOf(plane, x0, y0, x1, y1) / ((x1 - x0) * (y1 - y0));
    }
  }
  return means;
}

function cuts(start: number, length: number, side: number, pixels: number): number[] {
  const places = [];
  for (let k = 0; k <= side; k += 1) {
    places.push(Math.min(Math.round((start + (length * k) / side) * pixels), k === side ? pixels : pixels - 1));
  }
  return places;
}

/** The sum over a rectangle whose right and lower edges are exclusive. */
export function sumOf({ width, sums }: Plane, x0: number, y0: number, x1: number, y1: number): number {
  const [above, below] = [y0 * (width + 1), y1 * (width + 1)];
  return (
    (sums[below + x1] as number) -
    (sums[below + x0] as number) -
    (sums[above + x1] as number) +
    (sums[above + x0] as number)
  );
}
