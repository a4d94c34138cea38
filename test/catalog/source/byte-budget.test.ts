import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBudget } from '../../../src/catalog/source/byte-budget.ts';
import type { Hold } from '../../../src/catalog/source/byte-budget.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Names of what is held, in order, and their holds. */
function bench(options: ConstructorParameters<typeof ByteBudget>[0]) {
  const budget = new ByteBudget(options);
  const held = new Map<string, Hold>();
  return {
    budget,
    held,
    ask: (name: string, owner: number, bytes: number, signal?: AbortSignal) =>
      budget.hold(owner, bytes, signal).then((hold) => held.set(name, hold)),
    async release(name: string) {
      held.get(name)?.release();
      held.delete(name);
      await settled();
    },
  };
}

describe('memory for files', () => {
  it('is bounded for each owner and for all, and each has its first', async () => {
    const { ask, held, release } = bench({ all: 10, each: 6, first: 2 });
    void ask('a1', 1, 4);
    void ask('a2', 1, 4);
    void ask('b1', 2, 6);
    void ask('b2', 2, 2);
    void ask('c1', 3, 2);
    void ask('c2', 3, 2);
    await settled();
    expect([...held.keys()]).toEqual(['a1', 'b1', 'c1']);
    await release('b1');
    expect([...held.keys()]).toEqual(['a1', 'c1', 'b2', 'c2']);
    await release('a1');
    expect([...held.keys()]).toEqual(['c1', 'b2', 'c2', 'a2']);
  });

  it('that is needed no more is given to others, once', async () => {
    const { ask, held, budget } = bench({ all: 8, each: 8, first: 0 });
    void ask('a', 1, 8);
    void ask('b', 2, 6);
    await settled();
    held.get('a')?.shrinkTo(1);
    held.get('a')?.shrinkTo(5);
    await settled();
    expect(budget.held).toBe(7);
    held.get('a')?.release();
    held.get('a')?.release();
    expect(budget.held).toBe(6);
  });

  it('is given to whoever waits when another has left', async () => {
    const { ask, held } = bench({ all: 8, each: 8, first: 0 });
    const leaving = new AbortController();
    void ask('a', 1, 4);
    const large = ask('large', 2, 8, leaving.signal);
    void ask('c', 3, 4);
    leaving.abort(new Error('enough'));
    await expect(large).rejects.toThrow('enough');
    await settled();
    expect([...held.keys()]).toEqual(['a', 'c']);
  });

  it('comes to all in the end, whatever they ask for', async () => {
    const file = fc.record({ owner: fc.integer({ min: 1, max: 3 }), bytes: fc.integer({ min: 1, max: 15 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 30 }), async (files) => {
        const { ask, held, release, budget } = bench({ all: 10, each: 6, first: 2 });
        const all = files.map(({ owner, bytes }, index) => ask(String(index), owner, bytes));
        for (await settled(); held.size > 0; await settled()) {
          // One that asks for more than there is has it alone.
          if (held.size > 1) expect(budget.held).toBeLessThanOrEqual(15 + 2 * 2);
          await release(held.keys().next().value ?? '');
        }
        await Promise.all(all);
        expect(budget.held).toBe(0);
      }),
    );
  });
});
