/** The words of a tsvector with where they stand, as PostgreSQL prints them: `'beach':3A,7C 'sun':1`. */

/** A position in the record's text, and the class of weight of what stands there. */
export type Place = Readonly<{ position: number; weight: string }>;

/** What PostgreSQL keeps between two values, so that no phrase goes on from one to the next. */
const boundary = '&amp;';

const entry = /'((?:[^']|'')*)'(?::([0-9A-D,]+))?/g;

function wordOf(quoted: string): string {
  return quoted.replaceAll("''", "'").replaceAll('\\\\', '\\');
}

/** The words alone. */
export function readWords(vector: string): string[] {
  return Array.from(vector.matchAll(entry), ([, quoted = '']) => wordOf(quoted)).filter((word) => word !== boundary);
}

/** The texts of each class of weight, A to D: one for each value, its words in order. */
export function readTexts(vector: string): Readonly<Record<string, readonly string[]>> {
  const words: (Place & { word: string })[] = [];
  for (const [, quoted = '', places = ''] of vector.matchAll(entry)) {
    const word = wordOf(quoted);
    for (const place of places.split(',')) {
      const weight = /[A-D]$/.exec(place)?.[0] ?? 'D';
      words.push({ word, position: Number.parseInt(place, 10) || 0, weight });
    }
  }
  words.sort((a, b) => a.position - b.position);
  const texts: Record<string, string[]> = {};
  let weight = '';
  for (const { word, weight: own } of words) {
    const list = (texts[own] ??= []);
    if (word === boundary) weight = '';
    else if (own === weight) list[list.length - 1] += ` ${word}`;
    else list.push(word);
    if (word !== boundary) weight = own;
  }
  return texts;
}
