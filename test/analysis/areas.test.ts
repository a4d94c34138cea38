import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findAreas, pixelsOf } from '../../src/analysis/ocr/areas.ts';
import type { Mask, Neighbors } from '../../src/analysis/ocr/areas.ts';

type Found = Readonly<{ value: number; bounds: object; count: number; pixels: number[] }>;

function areasOf(mask: Mask, neighbors: Neighbors, least = 1): Found[] {
  return findAreas(mask, neighbors, least).map((area) => {
    const { value, bounds, count } = area;
    return { value, bounds, count, pixels: [...pixelsOf(area)] };
  });
}

/** The same by flooding from pixel to pixel. */
function flood({ values, width, height }: Mask, neighbors: Neighbors): Found[] {
  const seen = new Set<number>();
  return [...values.keys()].flatMap((start): Found[] => {
    const value = values[start] as number;
    if (value === 0 || seen.has(start)) return [];
    const pixels = [start];
    seen.add(start);
    for (const at of pixels) {
      for (const [dx, dy] of steps(neighbors)) {
        const [x, y] = [(at % width) + dx, Math.floor(at / width) + dy];
        const other = y * width + x;
        if (x < 0 || y < 0 || x >= width || y >= height || values[other] !== value || seen.has(other)) continue;
        seen.add(other);
        pixels.push(other);
      }
    }
    const [xs, ys] = [pixels.map((at) => at % width), pixels.map((at) => Math.floor(at / width))];
    const bounds = {
      left: Math.min(...xs),
      top: Math.min(...ys),
      right: Math.max(...xs) + 1,
      bottom: Math.max(...ys) + 1,
    };
    return [{ value, bounds, count: pixels.length, pixels: pixels.toSorted((a, b) => a - b) }];
  });
}

function steps(neighbors: Neighbors): readonly (readonly [number, number])[] {
  const all = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => [dx, dy] as const));
  return neighbors === 'corners' ? all : all.filter(([dx, dy]) => dx === 0 || dy === 0);
}

const masks = fc
  .record({ width: fc.integer({ min: 1, max: 12 }), height: fc.integer({ min: 1, max: 12 }) })
  .chain(({ width, height }) =>
    fc
      .uint8Array({ min: 0, max: 2, minLength: width * height, maxLength: width * height })
      .map((values) => ({ values, width, height })),
  );

describe('Connected areas of a mask', () => {
  test.each(['sides', 'corners'] as const)('with common %s are those that flooding finds, in the same order', (by) => {
    fc.assert(
      fc.property(masks, (mask) => {
        expect(areasOf(mask, by)).toEqual(flood(mask, by));
      }),
      { numRuns: 500 },
    );
  });

  test('that are smaller than asked in both directions are left out', () => {
    const values = Uint8Array.from([1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]);
    const counts = areasOf({ values, width: 5, height: 3 }, 'sides', 2).map(({ count }) => count);
    expect(counts).toEqual([3]);
  });

  test('do not reach around the ends of rows', () => {
    const values = Uint8Array.from([0, 0, 1, 1, 0, 0]);
    expect(areasOf({ values, width: 3, height: 2 }, 'corners')).toHaveLength(2);
  });
});
