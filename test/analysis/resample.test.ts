import { describe, expect, it } from 'vitest';
import { resample } from '../../src/analysis/resample.ts';
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
