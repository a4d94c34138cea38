import type { Raster } from '../raster.ts';
import { cosineBasis, toBits, toSpectrum } from './spectrum.ts';

/**
 * PDQ, the perceptual hash of 256 bits that Meta published with ThreatExchange (hashing.pdf and the
 * reference code in facebook/ThreatExchange, pdq/): luminance, two passes of a box filter, 64 × 64
 * samples, the lowest 16 × 16 frequencies of a cosine transform, each compared with their median.
 */

export type PdqHash = Readonly<{
  /** 32 bytes, most significant first. */
  hash: Uint8Array;
  /** 0 to 100: amount of detail. Below 50 the hash means little, according to the reference. */
  quality: number;
}>;

const side = 64;
const passes = 2;
const luma = { red: 0.299, green: 0.587, blue: 0.114 } as const;

const basis = cosineBasis(side, 16);

/** Computes the hash of a picture as it is, without rotation. */
export function hashPdq(raster: Raster): PdqHash {
  const { samples, quality } = sample(raster);
  return { hash: toBits(toSpectrum(samples, basis)), quality };
}

/** Number of bits that differ between two hashes of equal length: of 256, or of 64 for hashes of parts. */
export function pdqDistance(a: Uint8Array, b: Uint8Array): number {
  let distance = 0;
  for (let i = 0; i < a.length; i += 1) distance += bitsOf[(a[i] as number) ^ (b[i] as number)] as number;
  return distance;
}

const bitsOf = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

function sample(raster: Raster): Readonly<{ samples: Float64Array; quality: number }> {
  const { width, height } = raster;
  const plane = luminance(raster);
  const spare = new Float32Array(plane.length);
  const [columns, rows] = [middles(width), middles(height)];
  for (let pass = 1; pass <= passes; pass += 1) {
    for (let y = 0; y < height; y += 1) box(plane, spare, { start: y * width, step: 1, count: width });
    // Of the last pass, only the columns of the samples are needed.
    const needed = pass < passes ? Array.from({ length: width }, (_, x) => x) : columns;
    for (const x of needed) box(spare, plane, { start: x, step: width, count: height });
  }
  const samples = Float64Array.from(rows.flatMap((y) => columns.map((x) => plane[y * width + x] as number)));
  return { samples, quality: qualityOf(samples) };
}

/** The pixels in the middle of as many equal parts of a line as there are samples. */
function middles(length: number): number[] {
  return Array.from({ length: side }, (_, k) => Math.floor(((k + 0.5) * length) / side));
}

function luminance({ data, width, height, channels }: Raster): Float32Array {
  const plane = new Float32Array(width * height);
  for (let i = 0, at = 0; i < plane.length; i += 1, at += channels) {
    plane[i] =
      luma.red * (data[at] as number) + luma.green * (data[at + 1] as number) + luma.blue * (data[at + 2] as number);
  }
  return plane;
}

type Line = Readonly<{ start: number; step: number; count: number }>;

/** Computes a moving average along a line; the window is cut off at its ends, as in the reference. */
function box(from: Float32Array, to: Float32Array, { start, step, count }: Line): void {
  const window = Math.floor((count + 2 * side - 1) / (2 * side));
  const ahead = Math.floor((window + 2) / 2) - 1;
  let sum = 0;
  let held = 0;
  for (let i = -ahead; i < count; i += 1) {
    const entering = i + ahead;
    if (entering < count) {
      sum += from[start + entering * step] as number;
      held += 1;
    }
    if (held > window || entering >= count) {
      sum -= from[start + (entering - window) * step] as number;
      held -= 1;
    }
    if (i >= 0) to[start + i * step] = sum / held;
  }
}

/** Sum of the differences between neighbors, in whole percent of the range, scaled as in the reference. */
function qualityOf(samples: Float64Array): number {
  let sum = 0;
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const at = y * side + x;
      if (y + 1 < side) sum += stepOf(samples, at, at + side);
      if (x + 1 < side) sum += stepOf(samples, at, at + 1);
    }
  }
  return Math.min(100, Math.floor(sum / 90));
}

function stepOf(samples: Float64Array, a: number, b: number): number {
  return Math.abs(Math.trunc((((samples[a] as number) - (samples[b] as number)) * 100) / 255));
}
