import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerpt, excerptLength, excerptOf } from '../../src/lib/excerpt.ts';

it('shows a short text whole, and the beginning of a long one', () => {
  const whole = 'a'.repeat(excerptLength);
  expect(excerpt(whole)).toBe(whole);
  expect(excerpt(`${whole}b`)).toBe(`${whole} …`);
  expect(excerpt('abc', 2)).toBe('ab …');
});

it('never ends in half a character', () => {
  expect(excerpt('a🌅b', 2)).toBe('a\ufffd …');
});

describe('the excerpt of a JSON value', () => {
  it('is the input itself where its JSON is short, and else the beginning of that', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 60 }), (value, max) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        const shown = excerptOf(value, max);
        if ((typeof value !== 'object' && typeof value !== 'string') || value === null) expect(shown).toBe(value);
        else if (text.length <= max) expect(shown).toEqual(value);
        else expect(shown).toBe(`${text.slice(0, max).toWellFormed()} …`);
      }),
    );
  });

  it('does not read the rest', () => {
    const looked: number[] = [];
    const elements = new Proxy(
      Array.from({ length: 1_000 }, () => 'word'),
      {
        get: (target, name, receiver) => {
          if (/^\d+$/.test(String(name))) looked.push(Number(name));
          return Reflect.get(target, name, receiver);
        },
      },
    );
    expect(excerptOf(elements, 20)).toBe('["word","word","word …');
    expect(Math.max(...looked)).toBeLessThan(5);
  });
});
