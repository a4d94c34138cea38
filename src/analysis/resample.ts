import type { Raster } from './raster.ts';

/** A rectangle in pixels of a raster; it may reach beyond the edges. */
export type PixelRegion = Readonly<{ x: number; y: number; width: number; height: number }>;

/** The smallest square around a region, with the same middle. */
export function squareAround({ x, y, width, height }: PixelRegion): PixelRegion {
  const side = Math.max(width, height);
  return { x: x - (side - width) / 2, y: y - (side - height) / 2, width: side, height: side };
}

/**
 * For each pixel of the output line the first contributing pixel of the input, and the weights from there on: all in one
 * list, in which those of a pixel begin at `starts`.
 */
type Taps = Readonly<{ first: Int32Array; starts: Int32Array; weights: Float32Array }>;

/**
 * A part of a picture in another size, as red, green, blue from 0 to 255. Every pixel of the part
 * counts (triangle filter), so that models do not see the patterns that skipping pixels causes.
 * Transparent pixels are on white; the area beyond the edges is `beyond`.
 */
export function resample(
  raster: Raster,
  region: PixelRegion,
  [width, height]: readonly [number, number],
  beyond = 0,
): Float32Array {
  const across = tapsOf(region.x, region.width, width);
  const down = tapsOf(region.y, region.height, height);
  const reach = reachOf(region.height / height);
  const top = Math.max(0, Math.floor(region.y - reach));
  const bottom = Math.min(raster.height, Math.ceil(region.y + region.height + reach) + 1);
  const rows = narrow(raster, { across, top, bottom, width, beyond });
  const result = new Float32Array(width * height * 3);
  const line = width * 3;
  for (let y = 0; y < height; y += 1) {
    const [from, to] = [down.starts[y] as number, down.starts[y + 1] as number];
    for (let tap = from; tap < to; tap += 1) {
      const weight = down.weights[tap] as number;
      const row = (down.first[y] as number) + tap - from;
      const isInside = row >= 0 && row < raster.height;
      if (isInside) addRow(result, y * line, { rows, from: (row - top) * line, count: line, weight });
      else addConstant(result, y * line, line, weight * beyond);
    }
  }
  return result;
}

type WeightedRow = Readonly<{ rows: Float32Array; from: number; count: number; weight: number }>;

function addRow(result: Float32Array, at: number, { rows, from, count, weight }: WeightedRow): void {
  for (let i = 0; i < count; i += 1) {
    result[at + i] = (result[at + i] as number) + weight * (rows[from + i] as number);
  }
}

function addConstant(result: Float32Array, at: number, count: number, value: number): void {
  for (let i = at; i < at + count; i += 1) result[i] = (result[i] as number) + value;
}

type Narrowing = Readonly<{ across: Taps; top: number; bottom: number; width: number; beyond: number }>;

function narrow(raster: Raster, { across, top, bottom, width, beyond }: Narrowing): Float32Array {
  const { channels } = raster;
  const data = channels === 4 ? onWhite(raster) : raster.data;
  const { first, starts, weights, outside } = within(across, raster.width);
  const rows = new Float32Array(Math.max(0, bottom - top) * width * 3);
  for (let y = top; y < bottom; y += 1) {
    const line = y * raster.width;
    let target = (y - top) * width * 3;
    for (let x = 0; x < width; x += 1, target += 3) {
      const ground = (outside[x] as number) * beyond;
      const end = starts[x + 1] as number;
      let red = ground;
      let green = ground;
      let blue = ground;
      let at = (line + (first[x] as number)) * channels;
      for (let tap = starts[x] as number; tap < end; tap += 1, at += channels) {
        const weight = weights[tap] as number;
        red += weight * (data[at] as number);
        green += weight * (data[at + 1] as number);
        blue += weight * (data[at + 2] as number);
      }
      rows[target] = red;
      rows[target + 1] = green;
      rows[target + 2] = blue;
    }
  }
  return rows;
}

/** The taps without those beyond the edges, and how much of each pixel of the output these are. */
function within({ first, starts, weights }: Taps, width: number): Taps & Readonly<{ outside: Float64Array }> {
  const count = first.length;
  const inside = { first: new Int32Array(count), starts: new Int32Array(count + 1), weights: weights.slice() };
  const outside = new Float64Array(count).fill(1);
  let kept = 0;
  for (let x = 0; x < count; x += 1) {
    const from = first[x] as number;
    inside.first[x] = Math.max(0, from);
    for (let tap = starts[x] as number; tap < (starts[x + 1] as number); tap += 1) {
      const at = from + tap - (starts[x] as number);
      if (at < 0 || at >= width) continue;
      const weight = weights[tap] as number;
      outside[x] = (outside[x] as number) - weight;
      inside.weights[kept] = weight;
      kept += 1;
    }
    inside.starts[x + 1] = kept;
  }
  return { ...inside, outside };
}

/** The pixels with transparent ones on white; the fourth channel stays and is not read. */
function onWhite({ data }: Raster): Uint8Array {
  const opaque = new Uint8Array(data);
  for (let at = 0; at < data.length; at += 4) {
    const opacity = (data[at + 3] as number) / 255;
    for (let channel = at; channel < at + 3; channel += 1) {
      opaque[channel] = 255 + ((data[channel] as number) - 255) * opacity;
    }
  }
  return opaque;
}

/** Radius of an output pixel, in pixels of the input: it includes at least the adjacent ones. */
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
    const taps = Float32Array.from({ length: Math.ceil(center + reach) - from }, (_, tap) =>
      Math.max(0, 1 - Math.abs(from + tap + 0.5 - center) / reach),
    );
    const sum = taps.reduce((total, weight) => total + weight, 0);
    first[i] = from;
    for (const weight of taps) {
      weights[end] = weight / sum;
      end += 1;
    }
    starts[i + 1] = end;
  }
  return { first, starts, weights: weights.subarray(0, end) };
}
