/** The words of a tsvector with their positions, as PostgreSQL prints them: `'beach':3A,7C 'sun':1`. */

/** Words in PostgreSQL's order, and all their places, each as a single number: see `placeOf`. */
export type Lexemes = Readonly<{ words: readonly string[]; places: readonly number[] }>;

/** PostgreSQL puts this between two values, so that no phrase runs from one into the next. */
const boundary = '&amp;';

/** More words than a tsvector can hold, since its size is limited to a megabyte. */
const mostWords = 2 ** 20;
/** Number of weight classes, A to D; a place without a weight is in class D. */
const weights = 4;

const codes = { blank: 32, comma: 44, nought: 48, nine: 57, a: 65 } as const;

/** Encodes a place so that places sort by position; positions in a tsvector do not exceed 2^14, so this is exact. */
function placeOf(position: number, weight: number, word: number): number {
  return (position * weights + weight) * mostWords + word;
}

/**
 * Reads all words, including the boundaries of values. Hand-written for speed: filling an index reads millions of
 * them.
 */
export function readLexemes(vector: string): Lexemes {
  const words: string[] = [];
  const places: number[] = [];
  for (let at = 0; at < vector.length;) {
    let end = vector.indexOf("'", at + 1);
    let isPlain = true;
    while (vector[end + 1] === "'") {
      isPlain = false;
      end = vector.indexOf("'", end + 2);
    }
    const quoted = vector.slice(at + 1, end);
    at = readPlaces(vector, end + 1, words.length, places) + 1;
    words.push(isPlain && !quoted.includes('\\') ? quoted : unquote(quoted));
  }
  return { words, places };
}

/** @returns the offset after the places of a word. */
function readPlaces(vector: string, from: number, word: number, places: number[]): number {
  let position = 0;
  let weight = weights - 1;
  for (let at = from; ; at += 1) {
    const code = at < vector.length ? vector.charCodeAt(at) : codes.blank;
    if (code >= codes.nought && code <= codes.nine) position = position * 10 + code - codes.nought;
    else if (code >= codes.a) weight = code - codes.a;
    else if (code === codes.comma || code === codes.blank) {
      if (position > 0) places.push(placeOf(position, weight, word));
      if (code === codes.blank) return at;
      position = 0;
      weight = weights - 1;
    }
  }
}

function unquote(quoted: string): string {
  return quoted.replaceAll("''", "'").replaceAll('\\\\', '\\');
}

/** Returns the words without boundaries. */
export function lexemeWords({ words }: Lexemes): string[] {
  return words.filter((word) => word !== boundary);
}

/** Returns the texts of each weight class, A to D: one per value, with its words in order. */
export function textsOf({ words, places }: Lexemes): readonly (readonly string[])[] {
  const texts: string[][] = Array.from({ length: weights }, () => []);
  let list: string[] | null = null;
  let last = -1;
  for (const place of places.toSorted((a, b) => a - b)) {
    const word = words[place % mostWords] ?? '';
    const weight = Math.floor(place / mostWords) % weights;
    if (word === boundary) list = null;
    else if (list !== null && weight === last) list[list.length - 1] += ` ${word}`;
    else (list = texts[weight] ?? []).push(word);
    last = weight;
  }
  return texts;
}
