import type { Read } from './read-line.ts';

/** Thresholds for text that no installed language can read. */
const limits = {
  /** Minimum number of letters; photographs show rows of up to six components that look like letters. */
  letters: 8,
  /** The minimum if data of the wanted language is missing: shorter rows are then more likely such text. */
  expected: 5,
  /** A line below this fluency, 0 to 100, reads badly. */
  fluency: 60,
  /** The same for a line of strange words; names such as eBay are read with certainty. */
  strange: 85,
  /** Minimum fraction of letters of one height, within this tolerance; stones and blades of grass have no common height. */
  even: { share: 0.5, differ: 0.06 },
  /** Minimum width of a letter with its gap, as a fraction of the line's height; roof tiles are narrower. */
  pitch: 0.42,
} as const;

/** A capital or digit amid lowercase letters: how another script appears to a reader that does not know it. */
const strange = /\p{Ll}(?:\p{Lu}|\p{N}+\p{L})|^\p{N}+\p{Ll}{3}/u;

/** Letters and digits that look like Cyrillic ones: a word of only these, such as "Kacce", may be Cyrillic. */
const ambiguous = /^[ABCEHIKMNOPTUXYabcegklmnoprux03469\p{P}]+$/u;

/** Whether at least half of the words are unlike any language. */
export function isStrange({ words }: Pick<Read, 'words'>): boolean {
  return words.length > 0 && words.filter(({ text }) => strange.test(text)).length * 2 >= words.length;
}

/** Whether a line is certainly text but reads badly in the installed languages. */
export function isUnread(read: Pick<Read, 'line' | 'words' | 'fluency'>, isExpected: boolean): boolean {
  const least = isExpected ? limits.expected : limits.letters;
  const isBad = read.fluency < (isStrange(read) ? limits.strange : limits.fluency);
  return isBad && read.line.letters.length >= least && looksTypeset(read.line);
}

/** Whether letters look printed: most have the same height, and they are spaced apart. */
function looksTypeset({ letters, left, right, height }: Read['line']): boolean {
  const heights = letters.map((letter) => letter.bottom - letter.top);
  const likeOne = heights.map(
    (one) => heights.filter((each) => Math.abs(each - one) <= Math.max(1, one * limits.even.differ)).length,
  );
  const pitch = (right - left) / letters.length / height;
  return Math.max(...likeOne) >= letters.length * limits.even.share && pitch >= limits.pitch;
}

/** Whether all words of a line may be in another script; numbers, which are the same in all scripts, are ignored. */
export function isAmbiguous({ words }: Pick<Read, 'words'>): boolean {
  const written = words.filter(({ text }) => /\p{L}/u.test(text));
  return written.length > 0 && written.every(({ text }) => ambiguous.test(text));
}
