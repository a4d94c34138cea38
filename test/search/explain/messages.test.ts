import { describe, expect, it } from 'vitest';
import { explanationMessages } from '../../../src/search/explain/index.ts';

describe('the sentence about an empty result', () => {
  it.each([
    ['en', 3, 'Nothing is found because of beach; without it: 3'],
    ['es', 3, 'No hay resultados a causa de beach; sin esa parte: 3'],
    // Several parts find nothing: to blame one of them would be wrong.
    ['en', 0, 'Nothing is found, with beach or without it'],
    ['es', 0, 'No hay resultados, con beach ni sin esa parte'],
  ] as const)('in %s says what %i records without a part mean', (locale, without, sentence) => {
    expect(explanationMessages[locale].emptied('beach', without)).toBe(sentence);
  });
});
