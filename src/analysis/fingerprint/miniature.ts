import { sampleRegion, toPlane } from './plane.ts';
import type { Region } from './plane.ts';
import type { Raster } from '../raster.ts';

/**
 * A very small version of a picture of any shape: brightness in 48 × 48 cells, the two color
 * differences in 12 × 12 each. Enough to compare pixels without the picture.
 */
export type Miniature = Readonly<{ luma: Uint8Array; blue: Uint8Array; red: Uint8Array }>;

export const lumaSide = 48;
export const chromaSide = 12;
/** Bytes of a stored miniature. */
export const miniatureBytes = lumaSide ** 2 + 2 * chromaSide ** 2;

const whole: Region = { x: 0, y: 0, width: 1, height: 1 };

/** Creates the miniature of a picture. `luma` is its brightness, pixel by pixel. */
export function toMiniature(raster: Raster, luma: Uint8Array): Miniature {
  const shrink = (plane: Uint8Array, side: number) =>
    Uint8Array.from(sampleRegion(toPlane(plane, raster.width, raster.height), whole, side), Math.round);
  return {
    luma: shrink(luma, lumaSide),
    blue: shrink(chromaOf(raster, luma, 2), chromaSide),
    red: shrink(chromaOf(raster, luma, 0), chromaSide),
  };
}

/** Half the difference between a channel and the brightness, plus 128. */
function chromaOf({ data, channels }: Raster, luma: Uint8Array, channel: number): Uint8Array {
  const plane = new Uint8Array(luma.length);
  for (let i = 0, at = channel; i < plane.length; i += 1, at += channels) {
    plane[i] = 128 + Math.round(((data[at] as number) - (luma[i] as number)) / 2);
  }
  return plane;
}

/** How much two miniatures differ: mean and largest difference of brightness or color, 0 to 255. */
export function miniatureDifference(a: Miniature, b: Miniature): Readonly<{ mean: number; largest: number }> {
  let largest = 0;
  let mean = 0;
  for (const part of ['luma', 'blue', 'red'] as const) {
    let sum = 0;
    for (const [i, value] of a[part].entries()) {
      const difference = Math.abs(value - (b[part][i] as number));
      sum += difference;
      largest = Math.max(largest, difference);
    }
    mean = Math.max(mean, sum / a[part].length);
  }
  return { mean, largest };
}

/** Cells within this distance of the most common brightness belong to the background. */
const groundSpread = 4;

/** The fraction of a miniature that is close to its most common brightness, that is, plain background. */
export function groundFraction({ luma }: Pick<Miniature, 'luma'>): number {
  const counts = new Uint16Array(256 + 2 * groundSpread);
  for (const value of luma) {
    for (let near = value; near <= value + 2 * groundSpread; near += 1) counts[near] = (counts[near] as number) + 1;
  }
  return counts.reduce((most, count) => Math.max(most, count), 0) / luma.length;
}

/** The correlation of the brightness of two miniatures, cell by cell: Pearson's coefficient; 0 if one is flat. */
export function lumaCorrelation(a: Uint8Array, b: Uint8Array): number {
  let [sumA, sumB, squaresA, squaresB, products] = [0, 0, 0, 0, 0];
  for (let k = 0; k < a.length; k += 1) {
    const [x, y] = [a[k] as number, b[k] as number];
    sumA += x;
    sumB += y;
    squaresA += x * x;
    squaresB += y * y;
    products += x * y;
  }
  const spread = (squaresA - sumA ** 2 / a.length) * (squaresB - sumB ** 2 / a.length);
  return spread <= 0 ? 0 : (products - (sumA * sumB) / a.length) / Math.sqrt(spread);
}
