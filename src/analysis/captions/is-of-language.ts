import type { Language } from '../facts.ts';

/** Frequent words of one of these languages that mean nothing in the others. */
const ownWords: Readonly<Partial<Record<Language, readonly string[]>>> = {
  en: ['the', 'of', 'and', 'with', 'is', 'are', 'at', 'by', 'from', 'while', 'his', 'her', 'their'],
  es: ['el', 'los', 'las', 'del', 'y', 'con', 'una', 'por', 'junto', 'mientras', 'está', 'están'],
  pt: ['um', 'uma', 'do', 'da', 'das', 'com', 'em', 'ao', 'aos', 'na', 'nas', 'pelo', 'pela', 'não', 'são', 'está'],
  fr: ['le', 'les', 'des', 'du', 'et', 'une', 'dans', 'avec', 'au', 'aux', 'est', 'sont', 'sous', 'pendant'],
};

/** So many words of another language, and none of its own, are a text in that other language. */
const tellingWords = 2;

/**
 * Whether a text can be in a language, by its letters and frequent words. In doubt it can: a short text, or one of names, says
 * nothing.
 */
export function isOfLanguage(text: string, lang: Language): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  const cyrillic = letters.filter((letter) => /\p{Script=Cyrillic}/u.test(letter)).length;
  if (letters.length > 0 && cyrillic * 2 > letters.length !== (lang === 'ru')) return false;
  const words = new Set(text.toLowerCase().match(/\p{L}+/gu) ?? []);
  const count = (own: readonly string[] = []) => own.filter((word) => words.has(word)).length;
  if (lang === 'ru' || count(ownWords[lang]) > 0) return true;
  return Object.values(ownWords).every((others) => count(others) < tellingWords);
}
