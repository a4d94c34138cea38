import { describe, expect, it } from 'vitest';
import { FairSemaphore } from '../../src/lib/fair-semaphore.ts';
import type { FairSemaphoreOptions } from '../../src/lib/fair-semaphore.ts';

/** Starts tasks that end on demand, and records the order in which they began. */
function bench(semaphore: FairSemaphore) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    began,
    ask(owner: number, name: string) {
      void semaphore.run(owner, async () => {
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

const create = (options: Omit<FairSemaphoreOptions, 'name'>) => new FairSemaphore({ name: 'works', ...options });

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a fair semaphore', () => {
  it('serves an owner without a slot before one with some, however long that one waits', async () => {
    const { ask, end, began } = bench(create({ capacity: 2 }));
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

  it('takes turns among owners with equally many slots', async () => {
    const { ask, end, began } = bench(create({ capacity: 1 }));
    for (const owner of [1, 2, 3]) for (const lease of [1, 2]) ask(owner, `${owner}-${lease}`);
    await settled();
    for (let i = 0; i < 5; i += 1) await end(began[i] ?? '');
    expect(began).toEqual(['1-1', '2-1', '3-1', '1-2', '2-2', '3-2']);
  });

  it('begins heavy work only where it fits, and lets nobody else wait for it', async () => {
    const semaphore = create({ capacity: 10 });
    const [small, large] = [await semaphore.acquire(1, undefined, 3), semaphore.acquire(1, undefined, 8)];
    expect(semaphore.tryAcquire(1, 1)).toBeNull(); // Behind its owner's own work.
    expect(semaphore.tryAcquire(2, 7)).not.toBeNull();
    expect(semaphore.tryAcquire(3, 1)).toBeNull();
    small();
    expect(await Promise.race([large, settled().then(() => 'waits')])).toBe('waits');
  });

  it('asks for its capacity each time it may have changed', async () => {
    let all = 3;
    const { ask, end, began } = bench(create({ capacity: () => all }));
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

  it('keeps to its capacity and to the maximum of one owner', async () => {
    const { ask, end, began } = bench(create({ capacity: 3, perOwner: 2 }));
    for (const name of ['a1', 'a2', 'a3']) ask(1, name);
    await settled();
    expect(began).toEqual(['a1', 'a2']);
    for (const name of ['b1', 'b2']) ask(2, name);
    await settled();
    expect(began).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(began).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('has extra slots for the first of each owner, up to a bound', async () => {
    const { ask, began } = bench(create({ capacity: 1, capacityForFirst: 3 }));
    for (const name of ['a1', 'a2']) ask(1, name);
    for (const owner of [2, 3, 4]) ask(owner, `${owner}`);
    await settled();
    expect(began).toEqual(['a1', '2', '3']);
  });

  it('takes a slot back when the work fails, and passes the failure on', async () => {
    const semaphore = create({ capacity: 1 });
    await expect(semaphore.run(1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await semaphore.run(1, () => Promise.resolve('next'))).toBe('next');
  });

  it('lets a caller wait for the beginning of its work alone', async () => {
    const semaphore = create({ capacity: 1 });
    let end: (word: string) => void = () => {};
    const first = await semaphore.begin(1, () => new Promise<string>((resolve) => (end = resolve)));
    let hasBegun = false;
    const second = semaphore.begin(1, async () => 'second').then((work) => ((hasBegun = true), work));
    await settled();
    expect(hasBegun).toBe(false);
    end('first');
    expect(await first.result).toBe('first');
    expect(await (await second).result).toBe('second');
  });

  it('passes the failure of work that has begun on to whoever waits for the result', async () => {
    const work = await create({ capacity: 1 }).begin(1, async () => Promise.reject(new Error('broken')));
    await expect(work.result).rejects.toThrow('broken');
  });

  it('gives a free slot at once, and none where others of the owner wait', async () => {
    const semaphore = create({ capacity: 1 });
    const release = semaphore.tryAcquire(1);
    expect(release).not.toBeNull();
    expect(semaphore.tryAcquire(2)).toBeNull();
    const waiting = semaphore.acquire(2);
    release?.();
    expect(semaphore.tryAcquire(3)).toBeNull();
    (await waiting)();
    expect(semaphore.tryAcquire(3)).not.toBeNull();
  });

  it('takes a slot back once, however often it is given', async () => {
    const semaphore = create({ capacity: 2 });
    const release = await semaphore.acquire(1);
    await semaphore.acquire(1);
    release();
    release();
    expect(semaphore.tryAcquire(1)).not.toBeNull();
    expect(semaphore.tryAcquire(1)).toBeNull();
  });

  it('refuses an owner whose queue is full, and lets others wait', async () => {
    const semaphore = create({ capacity: 1, queuePerOwner: 1 });
    const release = await semaphore.acquire(1);
    const waiting = [semaphore.acquire(1), semaphore.acquire(2)];
    await expect(semaphore.acquire(1)).rejects.toMatchObject({
      code: 'unavailable',
      details: { hint: expect.stringContaining('fewer') },
    });
    release();
    for (const slot of waiting.toReversed()) (await slot)();
  });

  it('refuses whoever has waited too long, and serves the next', async () => {
    const semaphore = create({ capacity: 1, waitMs: 20 });
    const release = await semaphore.acquire(1);
    await expect(semaphore.acquire(2)).rejects.toMatchObject({ code: 'unavailable' });
    release();
    await semaphore.acquire(2);
  });

  it('forgets whoever no longer wants a slot', async () => {
    const semaphore = create({ capacity: 1 });
    const release = await semaphore.acquire(1);
    const leaving = new AbortController();
    const left = semaphore.acquire(2, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    release();
    expect(semaphore.tryAcquire(3)).not.toBeNull();
    await expect(semaphore.acquire(1, leaving.signal)).rejects.toThrow('gone');
  });
});
