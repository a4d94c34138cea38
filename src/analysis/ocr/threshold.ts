import { arrange } from '../pixels/kernels.ts';
import type { Plane } from '../fingerprint/plane.ts';
import type { GrayImage } from './components.ts';

/** How far the surroundings of a pixel reach, and how much it must differ from their mean, in steps of 256. */
export type Pass = Readonly<{ radius: number; contrast: number }>;

type Picture = Readonly<{ values: Uint8Array; sums: Int32Array; width: number }>;
/** Pixels of a row, and the rows of their surroundings. */
type Edge = Readonly<{ y: number; top: number; bottom: number; from: number; to: number }>;

/** For each pass where a picture differs from the mean of its surroundings by more than its contrast: 1 darker, 2 lighter, else 0. */
export function threshold(gray: GrayImage, { sums }: Plane, passes: readonly Pass[]): Uint8Array[] {
  const { width, height, values } = gray;
  const { loops, arrays } = arrange({
    gray: ['bytes', values.length],
    sums: ['integers', sums.length],
    mask: ['bytes', values.length],
  });
  arrays.gray.set(values);
  arrays.sums.set(sums);
  const picture = { values, sums, width };
  const at = (row: number, x: number) => arrays.sums.byteOffset + (row * (width + 1) + x) * 4;
  return passes.map((pass) => {
    const { radius, contrast } = pass;
    // Pixels with whole surroundings have the same number of them: several are compared at once.
    const side = 2 * radius + 1;
    const [from, to] = width > 2 * radius ? [radius, width - radius] : [0, 0];
    for (let y = 0; y < height; y += 1) {
      const [top, bottom] = [Math.max(0, y - radius), Math.min(height, y + radius + 1)];
      const out = arrays.mask.byteOffset + y * width + from;
      const row = arrays.gray.byteOffset + y * width + from;
      const corners = [at(bottom, side), at(top, side), at(bottom, 0), at(top, 0)] as const;
      const count = side * (bottom - top);
      loops.compare(out, row, to - from, ...corners, count, contrast * count);
      // Now the edges, into which the last block may reach.
      compareEdge(picture, arrays.mask, pass, { y, top, bottom, from: 0, to: from });
      compareEdge(picture, arrays.mask, pass, { y, top, bottom, from: to, to: width });
    }
    return arrays.mask.slice();
  });
}

function compareEdge(
  { values, sums, width }: Picture,
  mask: Uint8Array,
  { radius, contrast }: Pass,
  { y, top, bottom, from, to }: Edge,
): void {
  const [above, below] = [top * (width + 1), bottom * (width + 1)];
  for (let x = from; x < to; x += 1) {
    const [left, right] = [Math.max(0, x - radius), Math.min(width, x + radius + 1)];
    const sum =
      (sums[below + right] as number) -
      (sums[above + right] as number) -
      (sums[below + left] as number) +
      (sums[above + left] as number);
    // Both sides times the number of pixels, as in the loop over blocks.
    const count = (right - left) * (bottom - top);
    const difference = (values[y * width + x] as number) * count - sum;
    mask[y * width + x] = difference < -contrast * count ? 1 : difference > contrast * count ? 2 : 0;
  }
}
