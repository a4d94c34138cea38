/**
 * Folds text and splits it into words exactly as the SQL functions `search_fold` and `search_words` do; a test compares
 * both on generated texts. Nothing here depends on the machine's locale.
 */

import { nonStarters } from './non-starters.ts';

/** Accents, except the breve of й, which is a separate letter. */
const marks = /[\u0300-\u0305\u0307-\u036f]|(?<![иИ])\u0306/g;
/** Capital letters that have no decomposition, in the scripts of our languages and related ones. */
const capitals = /[A-ZА-ЯЀ-ЏΑ-ΩÆŒØĐŁÞÐ]/g;
/** Letters that people replace by others if their keyboards lack them. */
const pairs: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', ı: 'i', ς: 'σ' };
const paired = /[ßæœøđłıς]/g;

/**
 * More combining marks on one letter than any language uses. Normalizing takes time quadratic in their number,
 * seconds for 50,000; a short text is normalized fast in any case.
 */
const anyMark = nonStarters.replaceAll(/\\U000(\w{5})/g, '\\u{$1}');
const surplusMarks = new RegExp(`([${anyMark}]{30})[${anyMark}]+`, 'gu');
const shortText = 100;

/** Removes case and accents. */
export function fold(text: string): string {
  // A character has one or two units, so for most texts this needs no counting.
  const isShort = text.length <= shortText || (text.length <= 2 * shortText && [...text].length <= shortText);
  const bounded = isShort ? text : text.replace(surplusMarks, '$1');
  const plain = bounded.normalize('NFKD').replace(marks, '').normalize('NFC');
  return plain.replace(capitals, (letter) => letter.toLowerCase()).replace(paired, (letter) => pairs[letter] ?? letter);
}

/** Characters that separate words, listed explicitly so that PostgreSQL's regular expressions match the same ones. */
const separators =
  '\\u0001-\\u001e\\u0020-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7' +
  '\\u02b9-\\u02ff\\u2000-\\u2bff\\u2e00-\\u2e7f\\u3000-\\u3004\\u3008-\\u3020\\u3030\\ufe00-\\ufe6f\\ufff0-\\uffff';

const between = new RegExp(`[${separators}\\u{1f000}-\\u{1faff}]+`, 'gu');

/** Returns the folded words of a text, in order. */
export function wordsOf(text: string): string[] {
  return fold(text)
    .replace(between, ' ')
    .split(' ')
    .filter((word) => word !== '');
}
