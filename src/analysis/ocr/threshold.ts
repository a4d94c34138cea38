import { arrange } from '../pixels/kernels.ts';
import type { Loops } from '../pixels/kernels.ts';
import type { Plane } from '../fingerprint/plane.ts';
import type { Raster } from '../raster.ts';
import type { GrayImage } from './components.ts';

/** Radius of a pixel's surroundings, and how much the pixel must differ from their mean, 0 to 255. */
export type Pass = Readonly<{ radius: number; contrast: number }>;

type ThresholdMasks = Readonly<{ gray: GrayImage; plane: Plane; masks: readonly Uint8Array[] }>;

type Picture = Readonly<{ values: Uint8Array; sums: Int32Array; width: number; height: number }>;
/** A range of pixels in a row, and the rows of their surroundings. */
type Edge = Readonly<{ y: number; top: number; bottom: number; from: number; to: number }>;

/**
 * Computes the lightness of a picture (luma of ITU-R BT.601), its integral image, and a mask for each pass: pixels that
 * differ from the mean of their surroundings by more than the contrast are 1 if darker, 2 if lighter; others are 0. All are
 * in the memory of the loops, which saves eight bytes per pixel: they are valid until the loops run over anything else.
 */
export function threshold({ data, width, height, channels }: Raster, passes: readonly Pass[]): ThresholdMasks {
  const size = width * height;
  const { loops, arrays } = arrange({
    source: ['bytes', data.length],
    gray: ['bytes', size],
    sums: ['integers', (width + 1) * (height + 1)],
    masks: ['bytes', size * passes.length],
  });
  const { source, gray, sums } = arrays;
  source.set(data);
  loops.gray(gray.byteOffset, source.byteOffset, channels, size);
  loops.sums(sums.byteOffset, gray.byteOffset, width, height);
  const picture = { values: gray, sums, width, height };
  // The last block of a mask may write into the next mask, so they are filled in order.
  const masks = passes.map((pass, k) => {
    const mask = arrays.masks.subarray(k * size, (k + 1) * size);
    compareRows(picture, mask, pass, loops);
    return mask;
  });
  return { gray: { values: gray, width, height }, plane: { width, height, sums }, masks };
}

/** Fills the mask for one pass. */
function compareRows(picture: Picture, mask: Uint8Array, pass: Pass, loops: Loops): void {
  const { width, height } = picture;
  const { radius, contrast } = pass;
  const [gray, sums, out] = [picture.values.byteOffset, picture.sums.byteOffset, mask.byteOffset];
  // Pixels whose surroundings are not cut off at the sides have equally many, so several are compared at once.
  const side = 2 * radius + 1;
  const [from, to] = width > 2 * radius ? [radius, width - radius] : [0, 0];
  for (let y = 0; y < height; y += 1) {
    const [top, bottom] = [Math.max(0, y - radius), Math.min(height, y + radius + 1)];
    const [above, below] = [sums + top * (width + 1) * 4, sums + bottom * (width + 1) * 4];
    const count = side * (bottom - top);
    const [first, row] = [out + y * width + from, gray + y * width + from];
    loops.compare(first, row, to - from, below + side * 4, above + side * 4, below, above, count, contrast * count);
    // The edges come last, since the last block may have written into them.
    compareEdge(picture, mask, pass, { y, top, bottom, from: 0, to: from });
    compareEdge(picture, mask, pass, { y, top, bottom, from: to, to: width });
  }
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
    // Both sides are multiplied by the number of pixels, as in the loop over blocks.
    const count = (right - left) * (bottom - top);
    const difference = (values[y * width + x] as number) * count - sum;
    mask[y * width + x] = difference < -contrast * count ? 1 : difference > contrast * count ? 2 : 0;
  }
}
