import type { Read } from './read-line.ts';

/** Thresholds for text that no installed language can read. */
const limits = {
  /** Photographs show rows of up to six components that look like letters. */
  letters: 8,
  /** If data of the wanted language is missing, shorter rows are more likely such text. */
  expected: 5,
  /** How well a line reads, of all its words, 0 to 100. */
  fluency: 60,
  /** Of a line whose words are strange: names such as eBay are read with certainty. */
  strange: 85,
  /** Fraction of letters of one height, within this tolerance; stones and blades of grass have no common one. */
  even: { share: 0.5, differ: 0.06 },
  /** Width of a letter with its gap, by the line's height; tiles of a roof are narrower. */
  pitch: 0.42,
} as const;

/** A capital or digit amid small letters: how another script appears to a reader that does not know it. */
const strange = /\p{Ll}(?:\p{Lu}|\p{N}+\p{L})|^\p{N}+\p{Ll}{3}/u;

/** Letters and digits that Cyrillic ones look like: a word of only these, such as "Kacce", may be Cyrillic. */
const ambiguous = /^[ABCEHIKMNOPTUXYabcegklmnoprux03469\p{P}]+$/u;

/** Whether most words are unlike any language. */
export function isStrange({ words }: Pick<Read, 'words'>): boolean {
  return words.length > 0 && words.filter(({ text }) => strange.test(text)).length * 2 >= words.length;
}

/** Whether a line is certainly text but reads badly in the installed languages. */
export function isUnread(read: Pick<Read, 'line' | 'words' | 'fluency'>, isExpected: boolean): boolean {
  const least = isExpected ? limits.expected : limits.letters;
  const isBad = read.fluency < (isStrange(read) ? limits.strange : limits.fluency);
  return isBad && read.line.letters.length >= least && looksTypeset(read.line);
}

/** Whether letters stand as in print: most of one height, and apart. */
function looksTypeset({ letters, left, right, height }: Read['line']): boolean {
  const heights = letters.map((letter) => letter.bottom - letter.top);
  const likeOne = heights.map(
    (one) => heights.filter((each) => Math.abs(each - one) <= Math.max(1, one * limits.even.differ)).length,
  );
  const pitch = (right - left) / letters.length / height;
  return Math.max(...likeOne) >= letters.length * limits.even.share && pitch >= limits.pitch;
}

/** Whether all words of a line may be of another script; numbers are the same in all of them. */
export function isAmbiguous({ words }: Pick<Read, 'words'>): boolean {
  const written = words.filter(({ text }) => /\p{L}/u.test(text));
  return written.length > 0 && written.every(({ text }) => ambiguous.test(text));
}
