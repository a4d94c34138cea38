import { LRUCache } from 'lru-cache';
import { compileTops } from '../formula/to-sql.ts';
import type { WordTest } from '../formula/to-sql.ts';
import { whereOf } from './search-query.ts';
import type { Parameters, SearchQuery } from './search-query.ts';

/** How well a record answers one word at least, from each level of the index on: the function `search_top_words` has the same. */
export const topLevels = [0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18, 0.2, 0.23] as const;

/** Levels from which rows are read until a page is full: each has some ten times as many as the one before it. */
const steps = [9, 6, 1] as const;

/** Rounding error of a rank, which is computed in single precision. */
const rounding = 1.000_01;

/** The level that the last page of a word reached; 0 if none did. A guess, since records change. */
const reached = new LRUCache<string, number>({ max: 10_000 });

/** The rank of the last record of a page is the least of the page. */
export type Ranked = Readonly<{ _rank?: string; _nodes?: string }>;

/** The bare word that a query consists of, if an index has its best matches: of images, in the forms of all languages. */
export function bareWordOf({ condition, lang, resource }: SearchQuery): WordTest | null {
  if (condition?.kind !== 'words' || lang !== 'ml' || resource !== 'image') return null;
  const { form, words, field, meanings = [] } = condition;
  const isOne = form === 'word' && words.length === 1 && field.name === 'text' && meanings.length === 0;
  return isOne ? condition : null;
}

/** A word, and the level of the index from which rows are read; null for all rows that contain the word. */
export type Tops = Readonly<{ word: WordTest; lowest: number | null }>;

/** The rows that match a word at a level or above, and possibly others, with the columns that are needed. */
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
 * A page of the best matches of a word. If the records that the index ranks high fill the page, and no other record can
 * rank higher, the others are not read.
 *
 * @param find gives the best rows of a level and those above it; null stands for all rows.
 */
export async function findBest<Row extends Ranked>(
  { key, size }: Readonly<{ key: string; size: number }>,
  find: (lowest: number | null) => Promise<Row[]>,
): Promise<Row[]> {
  const guess = reached.get(key);
  const levels = guess === undefined ? steps : guess === 0 ? [] : [guess, ...steps.filter((step) => step < guess)];
  for (const lowest of levels) {
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
