import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rangeOf } from '../../src/lib/byte-range.ts';

const body = { length: 10, tag: '"a"' };

it.each([
  [undefined, null],
  ['bytes=0-3', { start: 0, end: 4 }],
  ['Bytes=0-3', { start: 0, end: 4 }],
  ['bytes=4-', { start: 4, end: 10 }],
  ['bytes=-3', { start: 7, end: 10 }],
  ['bytes=-30', { start: 0, end: 10 }],
  ['bytes=9-100', { start: 9, end: 10 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=3-2', null],
  ['bytes=0-1,4-5', null],
  ['bytes=-', null],
  ['lines=0-3', null],
  ['bytes=a-b', null],
])('of ten bytes, %s is %o', (range, part) => expect(rangeOf(range, undefined, body)).toEqual(part));

it('counts only for the version that If-Range names', () => {
  expect(rangeOf('bytes=0-3', '"a"', body)).toEqual({ start: 0, end: 4 });
  expect(rangeOf('bytes=0-3', '"b"', body)).toBeNull();
});

it('never reaches beyond the body', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.option(fc.nat(30)), fc.option(fc.nat(30)), (length, first, last) => {
      const part = rangeOf(`bytes=${first ?? ''}-${last ?? ''}`, undefined, { length, tag: '' });
      if (part === null || part === 'unsatisfiable') return;
      expect(part.start).toBeGreaterThanOrEqual(0);
      expect(part.end).toBeGreaterThan(part.start);
      expect(part.end).toBeLessThanOrEqual(length);
    }),
  );
});
