import { describe, expect, it } from 'vitest';
import { trimEndWhere, trimWhere } from '../../src/lib/trim.ts';

const isDot = (character: string) => character === '.';

describe('trimming', () => {
  it.each([
    ['..a.b..', 'a.b', '..a.b'],
    ['a', 'a', 'a'],
    ['...', '', ''],
    ['', '', ''],
  ])('%j is %j, and %j at the end only', (text, both, end) => {
    expect([trimWhere(text, isDot), trimEndWhere(text, isDot)]).toEqual([both, end]);
  });

  it('takes time by the length of the text, not by its square', () => {
    const text = `a${'.'.repeat(5_000_000)}b`; // The square would be hours.
    expect(trimWhere(text, isDot)).toBe(text);
  });
});
