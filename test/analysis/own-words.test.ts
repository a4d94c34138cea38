import { describe, expect, it } from 'vitest';
import type { Language } from '../../src/analysis/index.ts';
import { languageByWords } from '../../src/analysis/own-words.ts';

describe('frequent words', () => {
  it.each<readonly [text: string, expected: Language, told: Language | null]>([
    ['The harbor reopened Monday', 'en', 'en'],
    ['The harbor of Nagasaki', 'es', 'en'],
    ['El puerto y los barcos', 'en', 'es'],
    ['El puerto', 'es', 'es'],
    ['Le port et les bateaux', 'en', 'fr'],
    ['Uma praia com o barco', 'en', 'pt'],
  ])('of one language tell it: %j, where %s is expected', (text, expected, told) => {
    expect(languageByWords(text, expected)).toBe(told);
  });

  it.each<readonly [why: string, text: string, expected: Language]>([
    ['there is none', 'Nagasaki 1936', 'en'],
    ['there is only one, of a language that was not expected', 'The harbor', 'es'],
    ['they are of two languages', 'The harbor with los barcos', 'en'],
    ['an English one stands beside one that others share', 'The museum de arte', 'en'],
  ])('tell nothing where %s: %j', (_why, text, expected) => {
    expect(languageByWords(text, expected)).toBeNull();
  });
});
