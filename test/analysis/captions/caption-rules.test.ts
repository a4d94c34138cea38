import { describe, expect, it } from 'vitest';
import { judgeCaption, noCaptionRules, wantedLangs } from '../../../src/analysis/captions/caption-rules.ts';
import { isOfLanguage } from '../../../src/analysis/captions/is-of-language.ts';

describe('a forbidden word', () => {
  const judged = (text: string, ...forbidden: string[]) =>
    judgeCaption({ es: text }, ['es'], { ...noCaptionRules, forbidden }).faults.length > 0;

  it.each([
    ['Un avión aterriza.', 'avión'],
    ['AVIÓN en la pista', 'avión'],
    ['Un avio\u0301n', 'avión'],
    ['el presunto\nautor', 'presunto autor'],
    ['una bomba (c++)', 'c++'],
    ['первый Снег', 'снег'],
  ])('of %j is found: %s', (text, word) => expect(judged(text, word)).toBe(true));

  it.each([
    ['Un aviónico', 'avión'],
    ['Un avion', 'avión'],
    ['el presuntoautor', 'presunto autor'],
    ['abc', 'a.c'],
  ])('of %j is not found: %s', (text, word) => expect(judged(text, word)).toBe(false));
});

describe('the language of a caption', () => {
  const sentences = {
    en: 'The mayor opens the new bridge with a crowd of people.',
    es: 'El alcalde inaugura el nuevo puente con una multitud.',
    pt: 'O prefeito inaugura a nova ponte com uma multidão.',
    fr: 'Le maire inaugure le nouveau pont avec une foule.',
    ru: 'Мэр открывает новый мост.',
  } as const;
  const langs = Object.keys(sentences) as (keyof typeof sentences)[];

  it.each(langs.flatMap((lang) => langs.map((of) => [lang, of] as const)))(
    'a sentence in %s is one in %s only if it is the same',
    (lang, of) => expect(isOfLanguage(sentences[lang], of)).toBe(lang === of),
  );

  it.each([
    ['en', 'Vigo, 2026'],
    ['es', 'Nagasaki'],
    ['ru', 'Дмитрий Иванов в The Guardian'],
    ['es', 'Estreno de The Lord of the Rings en el cine'],
    ['fr', '12'],
  ] as const)('in doubt is %s: %s', (lang, text) => expect(isOfLanguage(text, lang)).toBe(true));
});

it('languages are those that the tenant wants, unless a caller asks for none of them', () => {
  const rules = { ...noCaptionRules, langs: ['en', 'es'] } as const;
  expect(wantedLangs(['fr', 'es', 'en', 'pt'], rules)).toEqual(['es', 'en']);
  expect(wantedLangs(['fr'], rules)).toEqual(['fr']);
  expect(wantedLangs(['fr', 'en'], noCaptionRules)).toEqual(['fr', 'en']);
});
