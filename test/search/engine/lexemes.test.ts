import { expect, it } from 'vitest';
import { readTexts, readWords } from '../../../src/search/engine/lexemes.ts';

const vector = `'&amp;':3A,6B 'beach':2A,4B 'sun':1A,7C 'sunset':5B 'дом':8`;

it('reads the words of a tsvector', () => {
  expect(readWords(vector)).toEqual(['beach', 'sun', 'sunset', 'дом']);
  expect(readWords(`'it''s' 'a\\\\b':1`)).toEqual(["it's", 'a\\b']);
  expect(readWords('')).toEqual([]);
});

it('reads its texts by weight, in order, cut where a value ends', () => {
  expect(readTexts(vector)).toEqual({ A: ['sun beach'], B: ['beach sunset'], C: ['sun'], D: ['дом'] });
  expect(readTexts(`'&amp;':2A 'a':1A,3A`)).toEqual({ A: ['a', 'a'] });
});
