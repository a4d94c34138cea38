import { arrange } from '../pixels/kernels.ts';
import type { Loops } from '../pixels/kernels.ts';
import type { Plane } from '../fingerprint/plane.ts';
import type { GrayImage } from './components.ts';

/** How far the surroundings of a pixel reach, and how much it must differ from their mean, in steps of 256. */
export type Pass = Readonly<{ radius: number; contrast: number }>;

/** `places` are those of the pixels, of the sums and of the mask in the memory of the loops. */
type Picture = Readonly<{
  values: Uint8Array;
  sums: Int32Array;
  width: number;
  height: number;
  places: readonly [gray: number, sums: number, mask: number];
}>;
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
  const places = [arrays.gray, arrays.sums, arrays.mask].map(({ byteOffset }) => byteOffset);
  const picture = { values, sums, width, height, places: places as [number, number, number] };
  return passes.map((pass) => compareRows(picture, arrays.mask, pass, loops).slice());
}

/** Fills the mask for one pass. */
function compareRows(picture: Picture, mask: Uint8Array, pass: Pass, loops: Loops): Uint8Array {
  const { width, height, places } = picture;
  const { radius, contrast } = pass;
  const [gray, sums, out] = places;
  // Pixels with whole surroundings have the same number of them: several are compared at once.
  const side = 2 * radius + 1;
  const [from, to] = width > 2 * radius ? [radius, width - radius] : [0, 0];
  for (let y = 0; y < height; y += 1) {
    const [top, bottom] = [Math.max(0, y - radius), Math.min(height, y + radius + 1)];
    const [above, below] = [sums + top * (width + 1) * 4, sums + bottom * (width + 1) * 4];
    const count = side * (bottom - top);
    const [first, row] = [out + y * width + from, gray + y * width + from];
    loops.compare(first, row, to - from, below + side * 4, above + side * 4, below, above, count, contrast * count);
    // Now the edges, into which the last block may reach.
    compareEdge(picture, mask, pass, { y, top, bottom, from: 0, to: from });
    compareEdge(picture, mask, pass, { y, top, bottom, from: to, to: width });
  }
  return mask;
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
