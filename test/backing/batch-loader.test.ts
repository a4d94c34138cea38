import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBatchLoader } from '../../src/backing/postgres/batch-loader.ts';

/** A store of squares that answers on demand, and records requests. */
function slowStore() {
  const asked: string[][] = [];
  const open: (() => void)[] = [];
  const load = async (keys: readonly string[]) => {
    asked.push([...keys]);
    await new Promise<void>((resolve) => open.push(resolve));
    return new Map(keys.filter((key) => key !== 'missing').map((key) => [key, `value of ${key}`]));
  };
  const release = async () => {
    open.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { asked, load, release };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('reads by key', () => {
  it('go together when they are asked for in one go', async () => {
    const { asked, load, release } = slowStore();
    const batchLoad = createBatchLoader();
    const answers = ['a', 'b', 'c'].map((key) => batchLoad('images', key, load));
    await settled();
    expect(asked).toEqual([['a', 'b', 'c']]);
    await release();
    expect(await Promise.all(answers)).toHaveLength(3);
  });

  it('go at once while fewer than two batches are under way, together when more meet', async () => {
    const { asked, load, release } = slowStore();
    const batchLoad = createBatchLoader();
    const answers: Promise<string | undefined>[] = [];
    for (const key of ['a', 'b', 'c', 'd', 'missing']) {
      answers.push(batchLoad('images', key, load));
      await settled();
    }
    expect(asked).toEqual([['a'], ['b']]);
    await release();
    expect(asked).toEqual([['a'], ['b'], ['c', 'd', 'missing']]);
    await release();
    await release();
    expect(await Promise.all(answers)).toEqual(['value of a', 'value of b', 'value of c', 'value of d', undefined]);
  });

  it('of different groups never meet', async () => {
    const { asked, load, release } = slowStore();
    const batchLoad = createBatchLoader();
    const answers = ['one', 'two', 'three'].flatMap((group) => ['x', 'y'].map((key) => batchLoad(group, key, load)));
    await settled();
    expect(asked).toEqual([
      ['x', 'y'],
      ['x', 'y'],
      ['x', 'y'],
    ]);
    for (const _ of asked) await release();
    await Promise.all(answers);
  });

  it('fail together with their batch, and the next batch is asked again', async () => {
    const batchLoad = createBatchLoader();
    let isAway = true;
    const load = async (keys: readonly string[]) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (isAway) throw new Error('away');
      return new Map(keys.map((key) => [key, key]));
    };
    const failing = ['a', 'b', 'c'].map((key) => batchLoad('images', key, load));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(failing.map(() => 'rejected'));
    isAway = false;
    expect(await batchLoad('images', 'a', load)).toBe('a');
  });

  it('are answered as if each had been asked alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ group: fc.constantFrom('g', 'h'), key: fc.string({ maxLength: 2 }), late: fc.boolean() })),
        async (calls) => {
          const batchLoad = createBatchLoader();
          const answers = [];
          for (const { group, key, late } of calls) {
            if (late) await new Promise((resolve) => setImmediate(resolve));
            const load = async (keys: readonly string[]) => new Map(keys.map((each) => [each, `${group} ${each}`]));
            answers.push(batchLoad(group, key, load));
          }
          expect(await Promise.all(answers)).toEqual(calls.map(({ group, key }) => `${group} ${key}`));
        },
      ),
      { numRuns: 50 },
    );
  });
});
