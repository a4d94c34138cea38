import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLargeJson, isLongerThan, jsonPieces } from '../../src/lib/json-pieces.ts';

describe('JSON in pieces', () => {
  it('is the JSON of the value, whatever it is', () => {
    const text = fc.oneof(
      fc.string(),
      fc.integer({ min: 1, max: 60_000 }).map((length) => 'ñ"\n'.repeat(length)),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.double(),
        fc.boolean(),
        fc.constantFrom(null, undefined, new Date(0)),
        fc.array(tie('value'), { maxLength: 6 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(value, (own) => {
        const whole = { own };
        expect([...jsonPieces(whole)].join('')).toBe(JSON.stringify(whole));
      }),
      { numRuns: 200 },
    );
  });

  it('has pieces of bounded length where no value of it is long', () => {
    const records = Array.from({ length: 20_000 }, (_, n) => ({ id: n, title: `Title ${n}`, words: ['a', 'b'] }));
    const pieces = [...jsonPieces({ data: { images: { results: records, empty: [], none: {} } } })];
    expect(pieces.length).toBeGreaterThan(4);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(300_000);
    expect(JSON.parse(pieces.join(''))).toEqual({ data: { images: { results: records, empty: [], none: {} } } });
  });

  it('writes its parts with the given function', () => {
    const big = { list: Array.from({ length: 100_000 }, () => 1), last: 'x'.repeat(200_000) };
    const write = (value: unknown) => JSON.stringify(value, (_, part: unknown) => (part === 1 ? 'one' : part));
    expect([...jsonPieces(big, write)].join('')).toBe(write(big));
  });
});

describe('the length of a value', () => {
  it('is computed only as far as needed', () => {
    const endless = {
      a: 'x'.repeat(2000),
      get b() {
        return expect.unreachable();
      },
    };
    expect(isLongerThan(endless, 1000)).toBe(true);
    expect([isLongerThan({ a: 'x'.repeat(900) }, 1000), isLargeJson(['a'])]).toEqual([false, false]);
  });
});
