import { hash } from 'node:crypto';

/**
 * Encodes texts for Meilisearch, which folds case, decomposes letters, trims blanks and cuts long values, so that two
 * different values could become the same. The encoding is unique for each text, and none of this changes it. The
 * encoding of a prefix is a prefix of the encoding.
 */

/** Maximum bytes of an encoding: a little less than Meilisearch keeps of a value. */
const longest = 440;
/** Bytes kept from the start of a longer value; a digest of the whole value follows. */
const keptBytes = 340;

const safe = /^[a-z0-9=:.,;!?'()/@&+-]*$/;
const unsafe = /[^a-z0-9=:.,;!?'()/@&+-]/gu;

/**
 * An upper-case letter becomes `^` and its lower-case letter, a blank becomes `_`, any other character `^` and six
 * hex digits.
 */
function spellingOf(sign: string): string {
  if (sign === ' ') return '_';
  if (/^[A-Z]$/.test(sign)) return `^${sign.toLowerCase()}`;
  return `^${(sign.codePointAt(0) ?? 0).toString(16).padStart(6, '0')}`;
}

/** Precomputed for the most common alphabets, up to the end of Cyrillic. */
const alphabets = Array.from({ length: 0x530 }, (_, code) => spellingOf(String.fromCodePoint(code)));

function spell(sign: string): string {
  return alphabets[sign.codePointAt(0) ?? 0] ?? spellingOf(sign);
}

/** Returns the encoding of a text, which is unique. */
export function encodeToken(text: string): string {
  const spelled = safe.test(text) ? text : text.replace(unsafe, spell);
  if (spelled.length <= longest) return spelled;
  return `${spelled.slice(0, keptBytes)}^^${hash('sha256', text)}`;
}

/** Returns the encodings of texts. Most lists need none, which a single check of the whole list detects. */
export function encodeTokens(texts: readonly string[]): readonly string[] {
  const isAsItIs = safe.test(texts.join('')) && texts.every(({ length }) => length <= longest);
  return isAsItIs ? texts : texts.map(encodeToken);
}

/** Whether this is true of a text: the encoding of everything that starts with it starts with its own encoding. */
export function isWholePrefix(text: string): boolean {
  return encodeToken(text).length <= keptBytes;
}

/** The encoding of an empty text for counting; no other text has it. */
const empty = '^';

/** Returns the encoding of a value for counting; an empty text needs its own, because Meilisearch does not keep it. */
export function encodeFacet(value: string): string {
  return value === '' ? empty : encodeToken(value);
}

/** Returns the text of an encoding; null if the text was too long to be encoded in full. */
export function decodeFacet(token: string): string | null {
  if (token === empty) return '';
  if (token.includes('^^')) return null;
  return token.replace(/_|\^([a-z])|\^([0-9][0-9a-f]{5})/g, (sign, letter?: string, hex?: string) => {
    if (sign === '_') return ' ';
    return letter === undefined ? String.fromCodePoint(Number.parseInt(hex ?? '', 16)) : letter.toUpperCase();
  });
}
