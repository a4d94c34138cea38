import { createHash } from 'node:crypto';

/**
 * Texts as the engine keeps them. It takes letter case off, decomposes letters, trims blanks and cuts long values,
 * so two of our values could become one of its. Here each text has a spelling of its own that all of that leaves alone.
 * A beginning of a text is spelled as a beginning of its spelling.
 */

/** Bytes that the engine keeps of a value, less some to spare. */
const longest = 440;
/** What a longer one keeps of its beginning; a digest of all of it follows. */
const keptBytes = 340;

const safe = /^[a-z0-9=:.,;!?'()/@&+-]*$/;
const unsafe = /[^a-z0-9=:.,;!?'()/@&+-]/gu;

/** An upper-case letter is `^` and its lower-case one, a blank is `_`, any other sign `^` and six hex digits. */
function spellingOf(sign: string): string {
  if (sign === ' ') return '_';
  if (/^[A-Z]$/.test(sign)) return `^${sign.toLowerCase()}`;
  return `^${(sign.codePointAt(0) ?? 0).toString(16).padStart(6, '0')}`;
}

/** Those of the alphabets that most texts are written in, up to the end of Cyrillic: each letter of theirs is spelled. */
const alphabets = Array.from({ length: 0x530 }, (_, code) => spellingOf(String.fromCodePoint(code)));

function spell(sign: string): string {
  return alphabets[sign.codePointAt(0) ?? 0] ?? spellingOf(sign);
}

/** The spelling of a text: another for each text. */
export function encodeToken(text: string): string {
  const spelled = safe.test(text) ? text : text.replace(unsafe, spell);
  if (spelled.length <= longest) return spelled;
  return `${spelled.slice(0, keptBytes)}^^${createHash('sha256').update(text).digest('hex')}`;
}

/** The spellings of a list of texts. Most lists are spelled as they are, which is seen by one look at all of it. */
export function encodeTokens(texts: readonly string[]): readonly string[] {
  const isAsItIs = safe.test(texts.join('')) && texts.every(({ length }) => length <= longest);
  return isAsItIs ? texts : texts.map(encodeToken);
}

/** Whether every text that begins with this one has a spelling that begins with its spelling. */
export function isWholePrefix(text: string): boolean {
  return encodeToken(text).length <= keptBytes;
}

/** How a text without signs is spelled where it is counted; no other text is spelled so. */
const empty = '^';

/** The spelling of a value that is counted: the engine keeps no empty text. */
export function encodeFacet(value: string): string {
  return value === '' ? empty : encodeToken(value);
}

/** The text of a spelling; null where it was too long to be kept. */
export function decodeFacet(token: string): string | null {
  if (token === empty) return '';
  if (token.includes('^^')) return null;
  return token.replace(/_|\^([a-z])|\^([0-9][0-9a-f]{5})/g, (sign, letter?: string, hex?: string) => {
    if (sign === '_') return ' ';
    return letter === undefined ? String.fromCodePoint(Number.parseInt(hex ?? '', 16)) : letter.toUpperCase();
  });
}
