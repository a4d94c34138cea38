import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  decodeFacet,
  encodeFacet,
  encodeToken,
  encodeTokens,
  isWholePrefix,
} from '../../../src/search/meilisearch/tokens.ts';

/** How Meilisearch normalizes a value before it compares it. */
const asCompared = (token: string) => token.trim().normalize('NFKD').toLowerCase();
const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom('a', 'A', 'á', 'ñ', ' ', '_', '^', '0', 'й', 'Ё', 'ﬁ', 'İ', '😀', '"', '\\'),
    minLength: 1,
  }),
);

it('encodes each text differently from any other, also after the normalization of Meilisearch', () => {
  const property = fc.property(text, text, (one, other) => {
    expect(asCompared(encodeToken(one)) === asCompared(encodeToken(other))).toBe(one === other);
    expect(asCompared(encodeToken(one))).toBe(encodeToken(one));
  });
  fc.assert(property, { numRuns: 2000 });
});

it('spells the beginning of a text as the beginning of its spelling', () => {
  const property = fc.property(text, text, (beginning, rest) => {
    expect(encodeToken(beginning + rest).startsWith(encodeToken(beginning))).toBe(true);
  });
  fc.assert(property, { numRuns: 500 });
});

it('gives back what is counted, the empty text among it', () => {
  const property = fc.property(text, (value) => {
    expect(decodeFacet(encodeFacet(value))).toBe(value);
  });
  fc.assert(property, { numRuns: 1000 });
  expect(decodeFacet(encodeFacet(''))).toBe('');
  expect(encodeFacet('^')).not.toBe(encodeFacet(''));
});

it('keeps long texts distinct below the length at which Meilisearch cuts, and marks them as not reversible', () => {
  const [one, other] = ['É'.repeat(5000), `${'É'.repeat(4999)}e`];
  expect(encodeToken(one)).not.toBe(encodeToken(other));
  expect(Buffer.byteLength(encodeToken(one))).toBeLessThan(468);
  expect(decodeFacet(encodeFacet(one))).toBeNull();
  expect(isWholePrefix(one)).toBe(false);
  expect(isWholePrefix('san seb')).toBe(true);
});

it('spells a list as each of its texts', () => {
  const texts = fc.array(fc.oneof(fc.constantFrom('=sun', 'w:suns', 'x'.repeat(441)), text), { maxLength: 5 });
  fc.assert(fc.property(texts, (list) => void expect(encodeTokens(list)).toEqual(list.map(encodeToken))));
});
