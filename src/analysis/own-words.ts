import type { Language } from './facts.ts';

/** Frequent words of one of these languages that mean nothing in the others. */
const ownWords: Readonly<Partial<Record<Language, readonly string[]>>> = {
  en: [
    'the',
    'of',
    'and',
    'with',
    'is',
    'are',
    'was',
    'at',
    'by',
    'in',
    'to',
    'from',
    'while',
    'this',
    'his',
    'her',
    'their',
  ],
  es: ['el', 'los', 'las', 'del', 'y', 'con', 'una', 'por', 'junto', 'mientras', 'está', 'están'],
  pt: ['um', 'uma', 'do', 'da', 'das', 'com', 'em', 'ao', 'aos', 'na', 'nas', 'pelo', 'pela', 'não', 'são', 'está'],
  fr: ['le', 'les', 'des', 'du', 'et', 'une', 'dans', 'avec', 'au', 'aux', 'est', 'sont', 'sous', 'pendant'],
};

/** Frequent words of several of them, but not of English. */
const sharedWords: ReadonlySet<string> = new Set(['de', 'la', 'en', 'que', 'se', 'un', 'su', 'sur', 'para']);

/** How many different words of its own each language has in a text. */
export function countOwnWords(text: string): ReadonlyMap<Language, number> {
  const words = wordsOf(text);
  const languages = Object.entries(ownWords) as [Language, readonly string[]][];
  return new Map(languages.map(([lang, own]) => [lang, own.filter((word) => words.has(word)).length]));
}

/** So many words of a language, and none of another's own, are a text in that language. */
export const tellingWords = 2;

/**
 * The language of a text by its frequent words; null in doubt, as if it has those of two languages.
 *
 * @param expected the language in which one such word is enough.
 */
export function languageByWords(text: string, expected: Language): Language | null {
  const [only, ...others] = [...countOwnWords(text)].filter(([, count]) => count > 0);
  if (only === undefined || others.length > 0) return null;
  const [lang, count] = only;
  if (lang === 'en' && [...wordsOf(text)].some((word) => sharedWords.has(word))) return null;
  return count >= (lang === expected ? 1 : tellingWords) ? lang : null;
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/\p{L}+/gu) ?? []);
