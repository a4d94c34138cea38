import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coefficients } from '../../bench/plan/coefficients.ts';
import { daysOfAnalysis, missesOf, planFor, totalOf } from '../../bench/plan/plan.ts';
import type { Demand } from '../../bench/plan/plan.ts';
import { estimate, readMeasured, tableOf } from '../../bench/scale/table.ts';
import type { Measured } from '../../bench/scale/rows.ts';

const measured = readMeasured(readFileSync('bench/scale/measured.json', 'utf8'));

/** Catalogs whose searches take the given power of their size, and whose table has 2 kB a record. */
function growing(power: number, sizes: readonly number[]): Measured {
  return new Map(sizes.map((size) => [size, { broad: (size / 1000) ** power, table: size * 0.002 }]));
}

describe('figures of catalogs of other sizes', () => {
  it('follow the power that the two largest sizes grow by', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1.4, noNaN: true }),
        fc.integer({ min: 1_000_001, max: 1e9 }),
        (power, size) => {
          const found = estimate(growing(power, [10_000, 1_000_000]), 'broad', size);
          expect(found?.isMeasured).toBe(false);
          expect((found?.value ?? 0) / (size / 1000) ** power).toBeCloseTo(1, 6);
        },
      ),
    );
  });

  it('lie between those of the sizes around them', () => {
    const sizes = [10_000, 100_000, 1_000_000];
    fc.assert(
      fc.property(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }), (at, share) => {
        const [low = 0, high = 0] = [sizes[at], sizes[at + 1]];
        const values = new Map([[low, { broad: 3 }], [high, { broad: 40 }], [high * 10, { broad: 1 }]]); // prettier-ignore
        const size = Math.round(low + (high - low) * share);
        const value = estimate(values, 'broad', size)?.value ?? Number.NaN;
        expect(value).toBeGreaterThanOrEqual(3 - 1e-9);
        expect(value).toBeLessThanOrEqual(40 + 1e-9);
      }),
    );
  });

  it('are unknown if they seem to grow with the square, or if one size tells nothing', () => {
    expect(estimate(growing(2, [10_000, 100_000]), 'broad', 1_000_000)).toBeUndefined();
    expect(estimate(growing(1, [10_000]), 'broad', 1_000_000)).toBeUndefined();
    expect(estimate(growing(1, [10_000]), 'table', 1_000_000)).toEqual({ value: 2_000, isMeasured: false });
  });

  it('are marked in the table where nobody measured them', () => {
    const table = tableOf(growing(1, [10_000, 100_000, 10_000_000]));
    expect(table[0]).toBe('| what | 10 k | 100 k | 10 M | ~ 50 M |');
    expect(table).toContain('| the slowest of thirteen searches with many hits | 10 ms | 100 ms | 10 s | 50 s |');
  });

  it('are compared with what was measured of the largest size', () => {
    const sizes = [10_000, 100_000, 1_000_000];
    const [broad] = missesOf(growing(1, sizes), ['broad', 'selective']);
    expect(broad).toEqual({
      name: 'broad',
      size: 1_000_000,
      foretold: expect.closeTo(1000, 6) as number,
      measured: 1000,
    });
    expect(missesOf(growing(1, sizes.slice(1)), ['broad'])).toEqual([]);
  });
});

describe('the plan for a catalog', () => {
  const demands = fc.record({
    pictures: fc.integer({ min: 1, max: 100_000_000 }),
    newEachDay: fc.integer({ min: 1, max: 1_000_000 }),
    searchesPerSecond: fc.integer({ min: 1, max: 5_000 }),
  });

  it('needs no less disk for more pictures, no fewer cores for more searches, and no fewer workers for more new ones', () => {
    const total = (demand: Demand) => totalOf(planFor(demand, measured));
    fc.assert(
      fc.property(demands, fc.integer({ min: 2, max: 10 }), (demand, more) => {
        const now = total(demand);
        expect(total({ ...demand, pictures: demand.pictures * more }).disk).toBeGreaterThan(now.disk);
        const { searchesPerSecond, newEachDay } = demand;
        expect(total({ ...demand, searchesPerSecond: searchesPerSecond * more }).cores).toBeGreaterThanOrEqual(
          now.cores,
        );
        expect(total({ ...demand, newEachDay: newEachDay * more }).cores).toBeGreaterThanOrEqual(now.cores);
      }),
    );
  });

  it('is one machine for a newsroom, and has Meilisearch and Redis for ten million pictures', () => {
    const demand = { pictures: 50_000, newEachDay: 500, searchesPerSecond: 2 };
    expect(planFor(demand, measured).map(({ role }) => role)).toEqual(['one process']);
    const roles = planFor({ ...demand, pictures: 10_000_000 }, measured).map(({ role }) => role);
    expect(roles).toEqual(['PostgreSQL', 'API', 'worker', 'Meilisearch', 'Redis']);
  });

  it('has enough workers for the new pictures of a day', () => {
    fc.assert(
      fc.property(demands, (demand) => {
        fc.pre(demand.pictures > 100_000);
        const cores = planFor(demand, measured).find(({ role }) => role === 'worker')?.cores ?? 0;
        expect(cores * 86_400).toBeGreaterThan(demand.newEachDay * coefficients.analysisSeconds);
      }),
    );
  });

  it('says how long pictures that are there already take', () => {
    const demand = { pictures: 8_640_000, newEachDay: 1, searchesPerSecond: 1 };
    expect(daysOfAnalysis(demand, 100)).toBeCloseTo(coefficients.analysisSeconds, 9);
  });
});
