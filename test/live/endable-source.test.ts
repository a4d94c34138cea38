import { describe, expect, it } from 'vitest';
import { EndableSource } from '../../src/live/endable-source.ts';

const never = () => new Promise<never>(() => {});
const fail = () => Promise.reject(new Error('the source failed'));
const throwAtOnce = () => {
  throw new Error('the source threw');
};

describe('a source that can be ended', () => {
  it.each([
    ['that ends well', { next: never, return: async () => ({ done: true, value: undefined }) }],
    ['that has no end of its own', { next: never }],
    ['whose end rejects', { next: never, return: fail }],
    ['whose end throws', { next: never, return: throwAtOnce }],
    ['whose end never comes', { next: never, return: never }],
  ] as const)('ends before its first value is asked for, while one is awaited, and twice: %s', async (_, source) => {
    for (const asksFirst of [false, true]) {
      const values = new EndableSource<string>(source as unknown as AsyncIterator<string>);
      const next = asksFirst ? values.next() : null;
      values.end();
      values.end();
      expect(await values.return()).toEqual({ done: true, value: undefined });
      if (next !== null) expect(await next).toEqual({ done: true, value: undefined });
      expect(await values.next()).toEqual({ done: true, value: undefined });
    }
  });

  it('is ended once, and passes on only what its source sent before', async () => {
    let ends = 0;
    async function* count(): AsyncGenerator<number> {
      try {
        yield 1;
        yield 2;
      } finally {
        ends += 1;
      }
    }
    const values = new EndableSource(count());
    expect(await values.next()).toEqual({ done: false, value: 1 });
    values.end();
    values.end();
    expect(await values.next()).toEqual({ done: true, value: undefined });
    await expect.poll(() => ends).toBe(1);
  });

  it('passes on how its source fails, whether it rejects or throws', async () => {
    await expect(new EndableSource({ next: fail }).next()).rejects.toThrow('the source failed');
    await expect(new EndableSource({ next: throwAtOnce }).next()).rejects.toThrow('the source threw');
  });

  it('has no failure after its end', async () => {
    let reject: (error: Error) => void = () => {};
    const values = new EndableSource({ next: () => new Promise<never>((_, refuse) => (reject = refuse)) });
    const next = values.next();
    values.end();
    reject(new Error('too late'));
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
