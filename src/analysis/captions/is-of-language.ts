import type { Language } from '../facts.ts';
import { countOwnWords, distinctiveWords } from '../own-words.ts';

/**
 * Whether a text may be in a language, judged by its letters and frequent words. True when in doubt: a short text, or
 * one that consists of names, gives no evidence.
 */
export function isOfLanguage(text: string, lang: Language): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  const cyrillic = letters.filter((letter) => /\p{Script=Cyrillic}/u.test(letter)).length;
  if (letters.length > 0 && cyrillic * 2 > letters.length !== (lang === 'ru')) return false;
  const counts = countOwnWords(text);
  if (lang === 'ru' || (counts.get(lang) ?? 0) > 0) return true;
  return [...counts.values()].every((count) => count < distinctiveWords);
}
