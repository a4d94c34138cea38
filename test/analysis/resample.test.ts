import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resample } from '../../src/analysis/resample.ts';
import type { PixelRegion } from '../../src/analysis/resample.ts';
import { runsOf } from '../support/effort.ts';
import { noise } from './pictures.ts';
import type { Raster } from '../../src/analysis/raster.ts';

/** A picture whose red grows to the right and whose green grows downwards. */
function gradient(width: number, height: number): Raster {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) data.set([x * 4, y * 4, 7], (y * width + x) * 3);
  }
  return { data, width, height, channels: 3 };
}

describe('a part of a picture in another size', () => {
  it.each([
    ['larger', 20, 60],
    ['larger, between pixels', 20.5, 64],
    ['as it is', 20, 20],
    ['smaller', 40, 12],
  ])('has a number for every pixel: %s', (_what, side, size) => {
    const pixels = resample(gradient(60, 60), { x: 10.3, y: 12.8, width: side, height: side }, [size, size]);
    expect(pixels.findIndex((value) => !Number.isFinite(value))).toBe(-1);
  });

  it('shows the same colors whatever its size', () => {
    const at = (size: number) => {
      const pixels = resample(gradient(60, 60), { x: 20, y: 30, width: 16, height: 16 }, [size, size]);
      const middle = (Math.floor(size / 2) * size + Math.floor(size / 2)) * 3;
      return [...pixels.subarray(middle, middle + 3)].map(Math.round);
    };
    for (const size of [4, 8, 32, 64]) {
      const [red = 0, green = 0, blue = 0] = at(size);
      expect(Math.abs(red - 112)).toBeLessThanOrEqual(9);
      expect(Math.abs(green - 152)).toBeLessThanOrEqual(9);
      expect(blue).toBe(7);
    }
  });

  it('is of the given value beyond the edges', () => {
    const pixels = resample(gradient(20, 20), { x: -20, y: -20, width: 60, height: 60 }, [120, 120], 128);
    expect([...pixels.subarray(0, 3)]).toEqual([128, 128, 128]);
    expect([...pixels.subarray(-3)]).toEqual([128, 128, 128]);
    expect(pixels.findIndex((value) => !Number.isFinite(value))).toBe(-1);
  });
});

/** The definition of it, pixel by pixel. */
function byDefinition(
  { data, width, height, channels }: Raster,
  region: PixelRegion,
  size: readonly [number, number],
  beyond: number,
) {
  const lightness = (x: number, y: number, channel: number) => {
    if (x < 0 || y < 0 || x >= width || y >= height) return beyond;
    const at = (y * width + x) * channels;
    const opacity = channels === 4 ? (data[at + 3] as number) / 255 : 1;
    return Math.floor(255 + ((data[at + channel] as number) - 255) * opacity);
  };
  const tapsOf = (start: number, length: number, count: number, i: number) => {
    const reach = Math.max(1, length / count);
    const center = start + ((i + 0.5) * length) / count;
    const from = Math.floor(center - reach);
    const taps = Array.from({ length: Math.ceil(center + reach) - from }, (_, k) => ({
      at: from + k,
      weight: Math.max(0, 1 - Math.abs(from + k + 0.5 - center) / reach),
    }));
    const sum = taps.reduce((total, { weight }) => total + weight, 0);
    return taps.map(({ at, weight }) => ({ at, weight: weight / sum }));
  };
  const [wide, high] = size;
  return Array.from({ length: wide * high * 3 }, (_, i) => {
    const [x, y] = [Math.floor(i / 3) % wide, Math.floor(i / 3 / wide)];
    const across = tapsOf(region.x, region.width, wide, x);
    return tapsOf(region.y, region.height, high, y).reduce(
      (sum, down) =>
        sum + down.weight * across.reduce((row, tap) => row + tap.weight * lightness(tap.at, down.at, i % 3), 0),
      0,
    );
  });
}

describe('resampling by blocks of numbers', () => {
  const side = fc.integer({ min: 1, max: 24 });
  const start = fc.double({ min: -30, max: 30, noNaN: true });
  const length = fc.double({ min: 0.5, max: 60, noNaN: true });

  const picture = fc.record({
    width: side,
    height: side,
    channels: fc.constantFrom(3 as const, 4 as const),
    seed: fc.nat(),
  });
  const part = fc.record({ x: start, y: start, width: length, height: length });

  it('gives what its definition says, at every size and beyond the edges', () => {
    const property = fc.property(
      picture,
      part,
      fc.tuple(side, side),
      fc.constantFrom(0, 128, 255),
      ({ seed, ...shape }, region, size, beyond) => {
        const data = noise(shape.width * shape.height * shape.channels, seed);
        const found = resample({ ...shape, data }, region, size, beyond);
        const expected = byDefinition({ ...shape, data }, region, size, beyond);
        const furthest = expected.reduce((most, value, i) => Math.max(most, Math.abs((found[i] as number) - value)), 0);
        expect(found).toHaveLength(expected.length);
        expect(furthest).toBeLessThan(0.01);
      },
    );
    fc.assert(property, { numRuns: runsOf('pictures') });
  });
});
