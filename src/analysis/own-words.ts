import type { Language } from './facts.ts';

/** Frequent words of each of these languages that are not words of the others. */
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

/** Frequent words of several of these languages, but not of English. */
const sharedWords: ReadonlySet<string> = new Set(['de', 'la', 'en', 'que', 'se', 'un', 'su', 'sur', 'para']);

/** Counts for each language how many different words that belong to it alone a text has. */
export function countOwnWords(text: string): ReadonlyMap<Language, number> {
  const words = wordsOf(text);
  const languages = Object.entries(ownWords) as [Language, readonly string[]][];
  return new Map(languages.map(([lang, own]) => [lang, own.filter((word) => words.has(word)).length]));
}

/** A text with this many words that belong to one language alone, and none of another's, is in that language. */
export const distinctiveWords = 2;

/**
 * Detects the language of a text by its frequent words; null when in doubt, for example if words of two languages
 * occur.
 *
 * @param expected the language for which one such word is enough.
 */
export function languageByWords(text: string, expected: Language): Language | null {
  const [only, ...others] = [...countOwnWords(text)].filter(([, count]) => count > 0);
  if (only === undefined || others.length > 0) return null;
  const [lang, count] = only;
  if (lang === 'en' && [...wordsOf(text)].some((word) => sharedWords.has(word))) return null;
  return count >= (lang === expected ? 1 : distinctiveWords) ? lang : null;
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/\p{L}+/gu) ?? []);
