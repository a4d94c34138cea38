import type { Raster } from './raster.ts';

/** A rectangle in pixels of a raster; it may reach beyond the edges. */
export type PixelRegion = Readonly<{ x: number; y: number; width: number; height: number }>;

/** The smallest square around a region, with the same middle. */
export function squareAround({ x, y, width, height }: PixelRegion): PixelRegion {
  const side = Math.max(width, height);
  return { x: x - (side - width) / 2, y: y - (side - height) / 2, width: side, height: side };
}

/** For each pixel of the output line the first contributing pixel of the input, and the weights from there on. */
type Taps = Readonly<{ first: Int32Array; weights: readonly Float32Array[] }>;

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
    const first = down.first[y] as number;
    const weights = down.weights[y] as Float32Array;
    for (let tap = 0; tap < weights.length; tap += 1) {
      const weight = weights[tap] as number;
      const row = first + tap;
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
  const rows = new Float32Array(Math.max(0, bottom - top) * width * 3);
  const columns = Array.from({ length: width }, (_, x) => columnOf(across, x, raster.width));
  for (let y = top; y < bottom; y += 1) {
    const line = y * raster.width;
    let target = (y - top) * width * 3;
    for (let x = 0; x < width; x += 1, target += 3) {
      const { first, weights, outside } = columns[x] as Column;
      const ground = outside * beyond;
      let red = ground;
      let green = ground;
      let blue = ground;
      let at = (line + first) * channels;
      for (let tap = 0; tap < weights.length; tap += 1, at += channels) {
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

/** The pixels of a line that one of the output consists of, and how much of it is beyond the edges. */
type Column = Readonly<{ first: number; weights: Float32Array; outside: number }>;

function columnOf({ first, weights }: Taps, x: number, width: number): Column {
  const start = first[x] as number;
  const all = weights[x] as Float32Array;
  const from = Math.max(0, -start);
  const inside = all.subarray(from, Math.max(from, Math.min(all.length, width - start)));
  let outside = 1;
  for (const weight of inside) outside -= weight;
  return { first: start + from, weights: inside, outside };
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
  const first = new Int32Array(count);
  const weights = Array.from({ length: count }, (_, i) => {
    const center = start + (i + 0.5) * scale;
    const from = Math.floor(center - reach);
    first[i] = from;
    const taps = Float32Array.from({ length: Math.ceil(center + reach) - from }, (_unused, tap) =>
      Math.max(0, 1 - Math.abs(from + tap + 0.5 - center) / reach),
    );
    const sum = taps.reduce((total, weight) => total + weight, 0);
    return taps.map((weight) => weight / sum);
  });
  return { first, weights };
}
