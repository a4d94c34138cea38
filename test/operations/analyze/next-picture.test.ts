import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NextPicture } from '../../../src/operations/analyze/next-picture.ts';
import type { QueuePlace } from '../../../src/operations/analyze/next-picture.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Pictures that are analyzed until they are ended; records the order in which they began. */
function bench(capacity: number) {
  const pictures = new NextPicture({ capacity });
  const began: string[] = [];
  const running: (() => void)[] = [];
  return {
    began,
    ask: (name: string, place: QueuePlace, tenantId = 1) =>
      pictures.run(tenantId, place, async () => {
        began.push(name);
        await new Promise<void>((resolve) => running.push(resolve));
        return name;
      }),
    /** Ends what runs, one after the other, until nothing waits. */
    async endAll() {
      for (await settled(); running.length > 0; await settled()) running.shift()?.();
    },
  };
}

describe('the next picture of a tenant', () => {
  it('is an urgent one, then one of a smaller operation, whatever came first', async () => {
    const { ask, endAll, began } = bench(1);
    void ask('first', { rank: 3, order: 1 });
    void ask('large', { rank: 3, order: 1 });
    void ask('small', { rank: 1, order: 2 });
    void ask('urgent', { rank: 0, order: 3 });
    await endAll();
    expect(began).toEqual(['first', 'urgent', 'small', 'large']);
  });

  it('is every fourth time one of the chunk that was claimed first, however many others go before it', async () => {
    const { ask, endAll, began } = bench(1);
    for (let i = 0; i < 3; i += 1) void ask(`large${i}`, { rank: 5, order: 1 });
    for (let i = 0; i < 12; i += 1) void ask('small', { rank: 1, order: 2 + i });
    await endAll();
    expect([began.indexOf('large1'), began.indexOf('large2')]).toEqual([4, 8]);
  });

  it('is the same as of a list that is sorted anew each time, and all begin', async () => {
    const place = fc.record({ rank: fc.integer({ min: 0, max: 5 }), order: fc.integer({ min: 1, max: 4 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 30 }), async (places) => {
        const { ask, endAll, began } = bench(1);
        const all = places.map((each, index) => ask(String(index), each));
        await endAll();
        expect(began).toEqual(sortedAnew(places));
        expect(await Promise.all(all)).toEqual(places.map((_, index) => String(index)));
      }),
    );
  });

  it('is not held up by pictures of other tenants', async () => {
    const { ask, endAll, began } = bench(1);
    for (let i = 0; i < 10; i += 1) void ask('theirs', { rank: 0, order: i }, 1);
    void ask('mine', { rank: 5, order: 20 }, 2);
    await endAll();
    expect(began.indexOf('mine')).toBe(1);
  });

  it('does not come when one fails: whoever asked for that one hears of it', async () => {
    const pictures = new NextPicture({ capacity: 1 });
    const failing = pictures.run(1, { rank: 1, order: 1 }, () => Promise.reject(new Error('broken')));
    const next = pictures.run(1, { rank: 1, order: 2 }, async () => 'well');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('well');
  });
});

/** The same rule as documented: the first one begins when it is asked for, and nobody waits then. */
function sortedAnew(places: readonly QueuePlace[]): string[] {
  const waiting = places.map((place, index) => ({ ...place, name: String(index) }));
  const order: string[] = [];
  while (waiting.length > 0) {
    const byOrder = waiting.toSorted((a, b) => a.order - b.order);
    const byRank = byOrder.toSorted((a, b) => a.rank - b.rank);
    const candidates = order.length === 0 ? waiting : order.length % 4 === 0 ? byOrder : byRank;
    const next = candidates[0] as (typeof waiting)[number];
    waiting.splice(waiting.indexOf(next), 1);
    order.push(next.name);
  }
  return order;
}
