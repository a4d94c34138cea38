import { arrange } from './pixels/kernels.ts';
import type { Raster } from './raster.ts';

/** A rectangle in pixels of a raster; it may reach beyond the edges. */
export type PixelRegion = Readonly<{ x: number; y: number; width: number; height: number }>;

/** The smallest square around a region, with the same middle. */
export function squareAround({ x, y, width, height }: PixelRegion): PixelRegion {
  const side = Math.max(width, height);
  return { x: x - (side - width) / 2, y: y - (side - height) / 2, width: side, height: side };
}

/**
 * For each pixel of the output line, the first contributing input pixel, and the weights from there on. All weights are in
 * one list; those of a pixel start at its entry in `starts`.
 */
type Taps = Readonly<{ first: Int32Array; starts: Int32Array; weights: Float32Array }>;
/** Taps inside a picture, and for each output pixel the weight of the taps beyond the edges. */
type InnerTaps = Taps & Readonly<{ outside: Float64Array }>;

/**
 * Resizes a part of a picture; returns red, green, blue from 0 to 255. Every pixel of the part counts (triangle filter), so
 * that models do not see the patterns that skipping pixels causes. Transparent pixels are put on white; the area beyond the
 * edges has the value `beyond`.
 */
export function resample(
  raster: Raster,
  region: PixelRegion,
  [width, height]: readonly [number, number],
  beyond = 0,
): Float32Array {
  const across = within(tapsOf(region.x, region.width, width), raster.width);
  const down = within(tapsOf(region.y, region.height, height), raster.height);
  const [left, right] = extentOf(across);
  const [top, bottom] = extentOf(down);
  const stride = (right - left) * raster.channels;
  const { loops, arrays } = arrange({
    source: ['bytes', stride * (bottom - top)],
    line: ['floats', stride],
    first: ['integers', width],
    starts: ['integers', width + 1],
    weights: ['floats', across.weights.length],
    rowWeights: ['floats', down.weights.length],
    ground: ['floats', width],
    result: ['floats', width * height * 3],
  });
  const { source, line, ground, result } = arrays;
  copyPart(raster, { left, right, top, bottom }, source);
  for (let x = 0; x < width; x += 1) arrays.first[x] = (across.first[x] as number) - left;
  arrays.starts.set(across.starts);
  arrays.weights.set(across.weights);
  arrays.rowWeights.set(down.weights);
  const [first, starts, weights] = [arrays.first.byteOffset, arrays.starts.byteOffset, arrays.weights.byteOffset];
  for (let y = 0; y < height; y += 1) {
    const [from, to] = [down.starts[y] as number, down.starts[y + 1] as number];
    const row = to === from ? 0 : (down.first[y] as number) - top;
    const rowWeights = arrays.rowWeights.byteOffset + from * 4;
    loops.sumRows(line.byteOffset, source.byteOffset + row * stride, stride, rowWeights, to - from);
    const outside = down.outside[y] as number;
    if (y === 0 || outside !== down.outside[y - 1]) {
      ground.set(across.outside.map((share) => beyond * (outside + (1 - outside) * share)));
    }
    const out = result.byteOffset + y * width * 12;
    loops.narrow(out, line.byteOffset, raster.channels * 4, first, starts, weights, ground.byteOffset, width);
  }
  return result.slice();
}

type Part = Readonly<{ left: number; right: number; top: number; bottom: number }>;

/** Copies a part of a picture row by row and puts transparent pixels on white; the alpha channel stays and is not read. */
function copyPart({ data, width, channels }: Raster, { left, right, top, bottom }: Part, target: Uint8Array): void {
  const stride = (right - left) * channels;
  for (let y = top; y < bottom; y += 1) {
    const from = (y * width + left) * channels;
    target.set(data.subarray(from, from + stride), (y - top) * stride);
  }
  if (channels === 4) putOnWhite(target);
}

function putOnWhite(pixels: Uint8Array): void {
  for (let at = 0; at < pixels.length; at += 4) {
    const opacity = (pixels[at + 3] as number) / 255;
    for (let channel = at; channel < at + 3; channel += 1) {
      pixels[channel] = 255 + ((pixels[channel] as number) - 255) * opacity;
    }
  }
}

/** Removes the taps beyond the edges; returns their weight for each output pixel. */
function within({ first, starts, weights }: Taps, length: number): InnerTaps {
  const count = first.length;
  const inside = { first: new Int32Array(count), starts: new Int32Array(count + 1), weights: weights.slice() };
  const outside = new Float64Array(count);
  let kept = 0;
  for (let x = 0; x < count; x += 1) {
    const from = first[x] as number;
    inside.first[x] = Math.max(0, from);
    for (let tap = starts[x] as number; tap < (starts[x + 1] as number); tap += 1) {
      const at = from + tap - (starts[x] as number);
      const weight = weights[tap] as number;
      if (at < 0 || at >= length) {
        outside[x] = (outside[x] as number) + weight;
        continue;
      }
      inside.weights[kept] = weight;
      kept += 1;
    }
    inside.starts[x + 1] = kept;
  }
  return { ...inside, outside };
}

/** The first input pixel that contributes, and the one after the last. */
function extentOf({ first, starts }: InnerTaps): readonly [from: number, to: number] {
  let [from, to] = [Infinity, 0];
  for (let x = 0; x < first.length; x += 1) {
    const taps = (starts[x + 1] as number) - (starts[x] as number);
    if (taps === 0) continue;
    from = Math.min(from, first[x] as number);
    to = Math.max(to, (first[x] as number) + taps);
  }
  return from < to ? [from, to] : [0, 0];
}

/** Filter radius of an output pixel, in input pixels: it covers at least the adjacent ones. */
function reachOf(scale: number): number {
  return Math.max(1, scale);
}

function tapsOf(start: number, length: number, count: number): Taps {
  const scale = length / count;
  const reach = reachOf(scale);
  const most = Math.ceil(2 * reach) + 2;
  const [first, starts] = [new Int32Array(count), new Int32Array(count + 1)];
  const weights = new Float32Array(count * most);
  let end = 0;
  for (let i = 0; i < count; i += 1) {
    const center = start + (i + 0.5) * scale;
    const from = Math.floor(center - reach);
    const begin = end;
    let sum = 0;
    for (let at = from; at < Math.ceil(center + reach); at += 1) {
      const weight = Math.max(0, 1 - Math.abs(at + 0.5 - center) / reach);
      weights[end] = weight;
      sum += weight;
      end += 1;
    }
    for (let tap = begin; tap < end; tap += 1) weights[tap] = (weights[tap] as number) / sum;
    first[i] = from;
    starts[i + 1] = end;
  }
  return { first, starts, weights: weights.subarray(0, end) };
}
