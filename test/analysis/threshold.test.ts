import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPlane } from '../../src/analysis/fingerprint/plane.ts';
import { threshold } from '../../src/analysis/ocr/threshold.ts';
import { full, runsOf } from '../support/effort.ts';
import { noise } from './pictures.ts';

const side = fc.integer({ min: 1, max: 40 });
const shape = fc.record({ width: side, height: side, seed: fc.nat() });

/** Sums over everything above and to the left, one after the other. */
function sumsByDefinition(gray: Uint8Array, width: number, height: number): number[] {
  return Array.from({ length: (width + 1) * (height + 1) }, (_, i) => {
    const [right, bottom] = [i % (width + 1), Math.floor(i / (width + 1))];
    return gray.reduce((sum, value, at) => (at % width < right && at < bottom * width ? sum + value : sum), 0);
  });
}

describe('where a picture is darker or lighter than its surroundings', () => {
  it.each([3, 4] as const)('lightness weighs red, green and blue of %i channels', (channels) => {
    const data = noise(7 * 5 * channels, channels);
    const { values } = threshold({ data, width: 7, height: 5, channels }, []).gray;
    const weights = [77, 150, 29];
    const expected = Array.from({ length: 35 }, (_, i) =>
      Math.floor(weights.reduce((sum, weight, k) => sum + weight * (data[i * channels + k] as number), 0) / 256),
    );
    expect([...values]).toEqual(expected);
  });

  it('sums of rectangles are those of their pixels', () => {
    const property = fc.property(shape, ({ width, height, seed }) => {
      const gray = noise(width * height, seed);
      expect([...toPlane(gray, width, height).sums]).toEqual(sumsByDefinition(gray, width, height));
    });
    fc.assert(property, { numRuns: runsOf('pictures') });
  });

  it('each pixel is compared with the mean of its surroundings, also at the edges', full, () => {
    const pass = fc.record({ radius: fc.integer({ min: 1, max: 25 }), contrast: fc.integer({ min: 0, max: 90 }) });
    const property = fc.property(
      shape,
      fc.array(pass, { minLength: 1, maxLength: 3 }),
      ({ width, height, seed }, passes) => {
        const raster = { data: noise(width * height * 3, seed), width, height, channels: 3 as const };
        const { gray, plane, masks } = threshold(raster, passes);
        const values = gray.values.slice();
        expect([...plane.sums]).toEqual(sumsByDefinition(values, width, height));
        const expected = passes.map(({ radius, contrast }) =>
          Array.from(values, (value, i) => {
            const [x, y] = [i % width, Math.floor(i / width)];
            const around = values.filter(
              (_, at) => Math.abs((at % width) - x) <= radius && Math.abs(Math.floor(at / width) - y) <= radius,
            );
            const sum = around.reduce((total, each) => total + each, 0);
            const difference = value * around.length - sum;
            return difference < -contrast * around.length ? 1 : difference > contrast * around.length ? 2 : 0;
          }),
        );
        expect(masks.map((mask) => [...mask])).toEqual(expected);
      },
    );
    fc.assert(property, { numRuns: runsOf('pictures') });
  });
});
