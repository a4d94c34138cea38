import { describe, expect, it } from 'vitest';
import { fillOf } from '../../../src/operations/analyze/fill-values.ts';

const subject = { lang: 'en', fills: true, refusedKeywords: [] };
const origin = { analyzer: 'a', version: '1', milliseconds: 1 };
const labels = (en: string) => ({ en, es: en, pt: en, fr: en, ru: en });

describe('values that fill a record', () => {
  it('have no characters that the database refuses, whatever a model or a file says', () => {
    const outcomes = {
      caption: { ...origin, result: labels('A\0 boat\ud83d') },
      concepts: { ...origin, result: [{ labels: labels('bo\0at\udc00'), confidence: 0.99, source: 'objects' }] },
      embedded: { ...origin, result: { author: 'N\0N', keywords: ['x\0y', '\ud83d'] } },
    } as never;
    const { fill } = fillOf(subject as never, outcomes, 'image');
    expect(fill).toMatchObject({ author: 'NN', keywords: ['xy', '\ufffd'], caption: 'A boat\ufffd' });
  });

  it('are cut between characters', () => {
    const outcomes = { caption: { ...origin, result: labels('🛶'.repeat(50_001)) } } as never;
    const { caption } = fillOf(subject as never, outcomes, 'image').fill;
    expect(String(caption).isWellFormed()).toBe(true);
  });
});
