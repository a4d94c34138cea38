import type { Raster } from '../raster.ts';
import { resample } from '../resample.ts';

/**
 * A histogram of colors by texture, after CEDD (Chatzichristofis and Boutalis, 2008): each of about 1600 blocks counts
 * toward the textures of its edges and the nearest colors. Unlike in CEDD, the borders between bins are soft, so that
 * slightly different lighting changes little.
 */

export const ceddSize = 144;

const blocks = 40;
const blockSide = 4;
const side = blocks * blockSide;
const shades = { hues: 7, perHue: 3, grays: 3 } as const;
const colorBins = shades.hues * shades.perHue + shades.grays;

/** Edge filters over the four quarters of a block: vertical, horizontal, two diagonals; the last has no direction. */
const filters = [
  [1, -1, 1, -1],
  [1, 1, -1, -1],
  [Math.SQRT2, 0, 0, -Math.SQRT2],
  [0, Math.SQRT2, -Math.SQRT2, 0],
  [2, -2, -2, 2],
] as const;
/** A block is smooth if no edge reaches this strength; an edge counts from this fraction of the strongest one on. */
const edge = { least: 14, share: 0.6 } as const;

/** Returns 144 numbers whose squares sum to one. */
export function describeColorTexture(raster: Raster): Float32Array {
  const whole = { x: 0, y: 0, width: raster.width, height: raster.height };
  const pixels = resample(raster, whole, [side, side]);
  const bins = new Float32Array(ceddSize);
  for (let row = 0; row < blocks; row += 1) {
    for (let column = 0; column < blocks; column += 1) {
      const { quarters, color } = readBlock(pixels, row, column);
      const shows = texturesOf(quarters);
      for (const { bin, weight } of colorsOf(color)) {
        for (const texture of shows) {
          const at = texture * colorBins + bin;
          bins[at] = (bins[at] as number) + weight / shows.length;
        }
      }
    }
  }
  const sum = bins.reduce((total, value) => total + value, 0) || 1;
  // Square roots reduce the weight of the many blocks of a plain background, and make the length one.
  return bins.map((value) => Math.sqrt(value / sum));
}

function readBlock(pixels: Float32Array, row: number, column: number) {
  const quarters: [number, number, number, number] = [0, 0, 0, 0];
  const color: [number, number, number] = [0, 0, 0];
  const half = blockSide / 2;
  for (let y = 0; y < blockSide; y += 1) {
    for (let x = 0; x < blockSide; x += 1) {
      const at = ((row * blockSide + y) * side + column * blockSide + x) * 3;
      const [red, green, blue] = [pixels[at] as number, pixels[at + 1] as number, pixels[at + 2] as number];
      const quarter = (y < half ? 0 : 2) + (x < half ? 0 : 1);
      quarters[quarter] = (quarters[quarter] as number) + (0.299 * red + 0.587 * green + 0.114 * blue) / (half * half);
      color[0] += red;
      color[1] += green;
      color[2] += blue;
    }
  }
  const count = blockSide * blockSide;
  return { quarters, color: [color[0] / count, color[1] / count, color[2] / count] as const };
}

/** The textures of a block: 0 smooth, 1 without direction, 2 to 5 one of four directions. */
function texturesOf(quarters: readonly [number, number, number, number]): number[] {
  const strengths = [];
  let strongest = 0;
  for (const filter of filters) {
    let sum = 0;
    for (let i = 0; i < filter.length; i += 1) sum += (filter[i] as number) * (quarters[i] as number);
    strengths.push(Math.abs(sum));
    strongest = Math.max(strongest, Math.abs(sum));
  }
  if (strongest < edge.least) return [0];
  const shown = [];
  for (let i = 0; i < strengths.length; i += 1) {
    if ((strengths[i] as number) >= strongest * edge.share) shown.push(i === 4 ? 1 : i + 2);
  }
  return shown;
}

/** Color bins with their weights, which sum to one: the two nearest hues, or grays. */
function colorsOf([red, green, blue]: readonly [number, number, number]): readonly Readonly<{
  bin: number;
  weight: number;
}>[] {
  const value = Math.max(red, green, blue);
  const gap = value - Math.min(red, green, blue);
  const saturation = value === 0 ? 0 : gap / value;
  const colored = clampFraction((saturation - 0.1) / 0.15) * clampFraction((value - 30) / 30);
  const result: { bin: number; weight: number }[] = [];
  // Resampled white is slightly more than white; a negative weight would have no square root.
  const gray = clampFraction(value / 255) * (shades.grays - 1);
  const [low, part] = [
    Math.min(shades.grays - 2, Math.floor(gray)),
    gray - Math.min(shades.grays - 2, Math.floor(gray)),
  ];
  if (colored < 1) {
    result.push({ bin: low, weight: (1 - colored) * (1 - part) }, { bin: low + 1, weight: (1 - colored) * part });
  }
  if (colored > 0) {
    const hue = (hueOf([red, green, blue], value, gap) / 360) * shades.hues;
    const first = Math.floor(hue) % shades.hues;
    const shade = value < 110 ? 2 : saturation > 0.5 ? 0 : 1;
    const binOf = (index: number) => shades.grays + (index % shades.hues) * shades.perHue + shade;
    const ahead = hue - Math.floor(hue);
    result.push(
      { bin: binOf(first), weight: colored * (1 - ahead) },
      { bin: binOf(first + 1), weight: colored * ahead },
    );
  }
  return result;
}

function hueOf([red, green, blue]: readonly [number, number, number], value: number, gap: number): number {
  if (gap === 0) return 0;
  if (value === red) return (60 * ((green - blue) / gap) + 360) % 360;
  return value === green ? 60 * ((blue - red) / gap) + 120 : 60 * ((red - green) / gap) + 240;
}

function clampFraction(value: number): number {
  return Math.min(1, Math.max(0, value));
}
