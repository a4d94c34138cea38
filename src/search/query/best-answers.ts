import { LRUCache } from 'lru-cache';
import { compileTops } from '../formula/to-sql.ts';
import type { WordTest } from '../formula/to-sql.ts';
import { whereOf } from './search-query.ts';
import type { Parameters, SearchQuery } from './search-query.ts';

/** How well a record answers one word at least, from each level of the index on: the function `search_top_words` has the same. */
export const topLevels = [0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18, 0.2, 0.23] as const;

/** What the numbers of single precision, of which a rank is made, may be off by. */
const rounding = 1.000_01;

/** The level that the last page of a word reached; 0 where none did. Only a guess, as records come and go. */
const reached = new LRUCache<string, number>({ max: 10_000 });

/** The last record of a page says how good the page is. */
export type Ranked = Readonly<{ _rank?: string; _nodes?: string }>;

/** The bare word that a question is, if an index knows its best answers: a picture's, in the forms of all languages. */
export function bareWordOf({ condition, lang, resource }: SearchQuery): WordTest | null {
  if (condition?.kind !== 'words' || lang !== 'ml' || resource !== 'image') return null;
  const { form, words, field, meanings = [] } = condition;
  const isOne = form === 'word' && words.length === 1 && field.name === 'text' && meanings.length === 0;
  return isOne ? condition : null;
}

/** A word, and the level of the index from which on rows are looked at; null for all rows that hold the word. */
export type Tops = Readonly<{ word: WordTest; lowest: number | null }>;

/** The rows that answer a word at least as well as a level says, and maybe others; and what is to be known of each. */
export function topsOf(
  searchQuery: SearchQuery,
  { word, lowest }: Tops,
  { relevance, parameter }: Readonly<{ relevance: string; parameter: Parameters['parameter'] }>,
): Readonly<{ where: string; select: string }> {
  const { isTop, forms } = compileTops(word, { ...searchQuery, parameter });
  const where = lowest === null ? whereOf(searchQuery, parameter) : `tenant_id = $1 AND ${isTop(lowest)}`;
  return { where, select: `, ${relevance} AS "_rank", numnode(${forms}) AS "_nodes"` };
}

/**
 * A full page of the best answers to a word. The index says which records answer it well; where they fill the page with
 * better answers than any other record can be, the others need not be looked at.
 *
 * @param find gives the best rows of a level and those above it; null stands for all rows.
 */
export async function findBest<Row extends Ranked>(
  { key, size }: Readonly<{ key: string; size: number }>,
  find: (lowest: number | null) => Promise<Row[]>,
): Promise<Row[]> {
  const guess = reached.get(key) ?? 1;
  for (const lowest of guess === 0 ? [] : new Set([guess, 1])) {
    const rows = await find(lowest);
    const level = levelOf(rows, size);
    if (level < lowest) continue;
    reached.set(key, level);
    return rows;
  }
  const rows = await find(null);
  reached.set(key, levelOf(rows, size));
  return rows;
}

/**
 * The highest level that all rows which are not found by it are worse than the last of these. A record that holds one
 * of several forms has its rank divided by their number.
 */
function levelOf(rows: readonly Ranked[], size: number): number {
  const last = rows.length === size ? rows.at(-1) : undefined;
  if (last === undefined) return 0;
  const forms = (Number(last._nodes) + 1) / 2;
  return topLevels.filter((level) => (level / forms) * rounding < Number(last._rank)).length;
}
