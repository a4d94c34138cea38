import { expect, it } from 'vitest';
import { readLexemes, textsOf, lexemeWords } from '../../../src/search/meilisearch/lexemes.ts';

const vector = `'&amp;':3A,6B 'beach':2A,4B 'sun':1A,7C 'sunset':5B 'дом':8`;

it('reads the words of a tsvector', () => {
  expect(lexemeWords(readLexemes(vector))).toEqual(['beach', 'sun', 'sunset', 'дом']);
  expect(lexemeWords(readLexemes(`'''' 'it''s' 'a\\\\b':1 'c''':2`))).toEqual(["'", "it's", 'a\\b', "c'"]);
  expect(lexemeWords(readLexemes(''))).toEqual([]);
});

it('reads its texts by weight, in order, cut where a value ends', () => {
  expect(textsOf(readLexemes(vector))).toEqual([['sun beach'], ['beach sunset'], ['sun'], ['дом']]);
  expect(textsOf(readLexemes(`'&amp;':2A 'a':1A,3A`))).toEqual([['a', 'a'], [], [], []]);
});
