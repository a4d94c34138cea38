/** The words of a tsvector with where they stand, as PostgreSQL prints them: `'beach':3A,7C 'sun':1`. */

/** A word, and its places as they are printed; '' where it has none. */
export type Lexeme = Readonly<{ word: string; places: string }>;

/** What PostgreSQL keeps between two values, so that no phrase goes on from one to the next. */
const boundary = '&amp;';

/** Every word, the boundary of values among them. Written out, because an index is filled by millions of these. */
export function readLexemes(vector: string): Lexeme[] {
  const lexemes: Lexeme[] = [];
  for (let at = 0; at < vector.length;) {
    let end = vector.indexOf("'", at + 1);
    let isPlain = true;
    while (vector[end + 1] === "'") {
      isPlain = false;
      end = vector.indexOf("'", end + 2);
    }
    const quoted = vector.slice(at + 1, end);
    const next = vector.indexOf(' ', end);
    const stop = next === -1 ? vector.length : next;
    const word = isPlain && !quoted.includes('\\') ? quoted : unquote(quoted);
    lexemes.push({ word, places: vector.slice(end + 2, stop) });
    at = stop + 1;
  }
  return lexemes;
}

function unquote(quoted: string): string {
  return quoted.replaceAll("''", "'").replaceAll('\\\\', '\\');
}

/** The words alone. */
export function wordsOf(lexemes: readonly Lexeme[]): string[] {
  const words: string[] = [];
  for (const { word } of lexemes) if (word !== boundary) words.push(word);
  return words;
}

/** The texts of each class of weight, A to D: one for each value, its words in order. */
export function textsOf(lexemes: readonly Lexeme[]): Readonly<Record<string, readonly string[]>> {
  const placed: { word: string; position: number; weight: string }[] = [];
  for (const { word, places } of lexemes) {
    for (const place of places.split(',')) {
      const last = place.at(-1) ?? '';
      placed.push({ word, position: Number.parseInt(place, 10) || 0, weight: last >= 'A' ? last : 'D' });
    }
  }
  placed.sort((a, b) => a.position - b.position);
  const texts: Record<string, string[]> = {};
  let list: string[] | null = null;
  let weight = '';
  for (const { word, weight: own } of placed) {
    if (word === boundary) list = null;
    else if (list !== null && own === weight) list[list.length - 1] += ` ${word}`;
    else (list = texts[own] ??= []).push(word);
    weight = own;
  }
  return texts;
}
