import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ActiveTenants, tenantsOfProcess } from '../../src/lib/active-tenants.ts';
import { longRestMs, recentMs, restAfter, restMs, sliceMs, TimeSlice } from '../../src/lib/time-slice.ts';

/** Iterations of the event loop so far. */
let iterations = 0;
let counting: NodeJS.Immediate;

beforeEach(() => {
  iterations = 0;
  const count = () => {
    iterations += 1;
    counting = setImmediate(count);
  };
  counting = setImmediate(count);
});

afterEach(() => clearImmediate(counting));

/** Work of so many slices, whose iterations of the event loop are recorded. */
async function workFor(slices: number, tenantId?: number): Promise<number[]> {
  const slice = new TimeSlice(tenantId);
  const noted: number[] = [];
  for (let done = 0; done < slices; done += 1) {
    await slice.pause();
    noted.push(iterations);
  }
  return noted;
}

describe('a slice of long work', () => {
  it('is over after its time', async () => {
    const slice = new TimeSlice();
    expect(slice.isOver).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, sliceMs + 2));
    expect(slice.isOver).toBe(true);
    await slice.pause();
    expect(slice.isOver).toBe(false);
  });

  it('has an iteration of the event loop for itself, however much long work there is', async () => {
    const noted = await Promise.all(Array.from({ length: 12 }, () => workFor(3)));
    const all = noted.flat().toSorted((a, b) => a - b);
    expect(new Set(all).size).toBe(all.length);
    // Nobody waits longer for it than needed.
    expect((all.at(-1) ?? 0) - (all[0] ?? 0)).toBe(35);
  });

  it('comes round before any other work has its next one', async () => {
    const noted = await Promise.all(Array.from({ length: 4 }, () => workFor(3)));
    const rounds = [0, 1, 2].map((round) => noted.map((turnsOf) => turnsOf[round] ?? 0));
    expect(Math.max(...(rounds[0] ?? []))).toBeLessThan(Math.min(...(rounds[1] ?? [])));
    expect(Math.max(...(rounds[1] ?? []))).toBeLessThan(Math.min(...(rounds[2] ?? [])));
  });

  it('of one tenant comes after one of each other, however much work that has', async () => {
    const busy = Promise.all(Array.from({ length: 20 }, () => workFor(1, 1)));
    const quiet = await workFor(3, 2);
    const later = (await busy).flat().filter((iteration) => iteration > (quiet.at(-1) ?? 0));
    expect(later.length).toBeGreaterThanOrEqual(16);
  });

  it('is over after the first step while other work waits for one', async () => {
    const others = workFor(1);
    const late = new TimeSlice();
    expect(late.isOver).toBe(true);
    await others;
    expect(new TimeSlice().isOver).toBe(false);
  });

  it('is not kept by work that is given up', async () => {
    const failing = (async () => {
      await new TimeSlice().pause();
      throw new Error('given up');
    })();
    const [, noted] = await Promise.all([failing.catch(() => {}), workFor(2)]);
    expect(noted).toHaveLength(2);
  });

  it('comes after a rest while several tenants are served', async () => {
    for (const tenant of [1, 2]) tenantsOfProcess.note(tenant);
    const began = performance.now();
    await Promise.all(Array.from({ length: 4 }, () => workFor(5)));
    // The first of twenty begins at once.
    expect(performance.now() - began).toBeGreaterThan(19 * restMs);
  });

  it('comes after a longer rest while another tenant has asked recently', async () => {
    const others = setInterval(() => tenantsOfProcess.note(2), recentMs / 4);
    try {
      for (const tenant of [1, 2]) tenantsOfProcess.note(tenant);
      const began = performance.now();
      await workFor(10, 1);
      expect(performance.now() - began).toBeGreaterThan(9 * longRestMs);
    } finally {
      clearInterval(others);
    }
  });

  it('does not rest longer for requests of the same tenant', () => {
    const tenants = new ActiveTenants();
    tenants.note(1);
    expect(tenants.sinceOthersThan(1)).toBe(Infinity);
    tenants.note(2);
    tenants.note(2);
    expect(tenants.sinceOthersThan(2)).toBeGreaterThanOrEqual(tenants.sinceOthersThan(1));
  });

  it('is not the only work that rests: a transaction does as well, while another tenant has asked recently', async () => {
    for (const tenant of [1, 2]) tenantsOfProcess.note(tenant);
    const began = performance.now();
    await restAfter(40, 2);
    expect(performance.now() - began).toBeGreaterThan(55);
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      vi.advanceTimersByTime(2_000_000_000);
      tenantsOfProcess.note(1);
      await restAfter(1e9, 1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is but a step in such a rest', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      // The fake clock begins at 0; this is later than the last slice on the real one, in any process.
      vi.advanceTimersByTime(1_000_000_000);
      for (const tenant of [3, 4]) tenantsOfProcess.note(tenant);
      const over = () => new TimeSlice().isOver;
      expect([over(), over()]).toEqual([false, true]);
      vi.advanceTimersByTime(sliceMs + longRestMs);
      expect(over()).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});
