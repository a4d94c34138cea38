import { describe, expect, it } from 'vitest';
import { begun, createShares } from '../../src/operations/shares.ts';
import type { Shares } from '../../src/operations/shares.ts';

/** Starts works that end when they are told to, and writes down the order in which they began. */
function bench(shares: Shares) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    began,
    ask(owner: number, name: string) {
      void shares(owner, async () => {
        began.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
      });
    },
    async end(name: string) {
      ends.get(name)?.();
      await settled();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('what is shared', () => {
  it('goes to an owner who has none before one who has some, however long that one waits', async () => {
    const { ask, end, began } = bench(createShares({ all: 2 }));
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask(1, name);
    ask(2, 'b1');
    ask(3, 'c1');
    await settled();
    expect(began).toEqual(['a1', 'a2']);
    await end('a1');
    await end('a2');
    expect(began).toEqual(['a1', 'a2', 'b1', 'c1']);
    await end('b1');
    await end('c1');
    expect(began.slice(4)).toEqual(['a3', 'a4']);
  });

  it('goes round among owners who have equally much', async () => {
    const { ask, end, began } = bench(createShares({ all: 1 }));
    for (const owner of [1, 2, 3]) for (const turn of [1, 2]) ask(owner, `${owner}-${turn}`);
    await settled();
    for (let i = 0; i < 5; i += 1) await end(began[i] ?? '');
    expect(began).toEqual(['1-1', '2-1', '3-1', '1-2', '2-2', '3-2']);
  });

  it('is as much as there is at the time', async () => {
    let all = 3;
    const { ask, end, began } = bench(createShares({ all: () => all }));
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) ask(1, name);
    await settled();
    expect(began).toHaveLength(3);
    all = 1;
    await end('a1');
    await end('a2');
    expect(began).toHaveLength(3);
    all = 2;
    await end('a3');
    expect(began).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
  });

  it('is never more than one owner may have, nor more than there is', async () => {
    const { ask, end, began } = bench(createShares({ all: 3, each: 2 }));
    for (const name of ['a1', 'a2', 'a3']) ask(1, name);
    await settled();
    expect(began).toEqual(['a1', 'a2']);
    for (const name of ['b1', 'b2']) ask(2, name);
    await settled();
    expect(began).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(began).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('has one for each owner beyond that, where it is so agreed, up to a bound', async () => {
    const { ask, began } = bench(createShares({ all: 1, withOwn: 3 }));
    for (const name of ['a1', 'a2']) ask(1, name);
    for (const owner of [2, 3, 4]) ask(owner, `${owner}`);
    await settled();
    expect(began).toEqual(['a1', '2', '3']);
  });

  it('is given back when a work fails, and the failure is told to who asked', async () => {
    const shares = createShares({ all: 1 });
    await expect(shares(1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await shares(1, () => Promise.resolve('next'))).toBe('next');
  });

  it('can be waited for without waiting for what is done with it', async () => {
    const shares = createShares({ all: 1 });
    let end: (word: string) => void = () => {};
    const first = await begun(shares, 1, () => new Promise<string>((resolve) => (end = resolve)));
    let hasBegun = false;
    const second = begun(shares, 1, async () => 'second').then((work) => ((hasBegun = true), work));
    await settled();
    expect(hasBegun).toBe(false);
    end('first');
    expect(await first.result).toBe('first');
    expect(await (await second).result).toBe('second');
  });

  it('tells whoever waits for the result why the work failed', async () => {
    const work = await begun(createShares({ all: 1 }), 1, async () => Promise.reject(new Error('broken')));
    await expect(work.result).rejects.toThrow('broken');
  });
});
