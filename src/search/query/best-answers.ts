import { LRUCache } from 'lru-cache';
import { compileTops } from '../formula/to-sql.ts';
import type { WordTest } from '../formula/to-sql.ts';
import { whereOf } from './search-query.ts';
import type { Parameters, SearchQuery } from './search-query.ts';

/**
 * For each level of the index, the minimum rank of a record for one word; the SQL function `search_top_words` uses
 * the same.
 */
export const topLevels = [0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18, 0.2, 0.23] as const;

/** Levels to try in turn until a page is full; each yields about ten times as many rows as the previous one. */
const steps = [9, 6, 1] as const;

/** Allows for the rounding error of a rank, which is computed in single precision. */
const rounding = 1.000_01;

/** The level that the last page of a word reached; 0 for none. Only a guess, since records change. */
const reached = new LRUCache<string, number>({ max: 10_000 });

/** Columns that give the rank of a row; the last row of a page has the lowest. */
export type Ranked = Readonly<{ _rank?: string; _nodes?: string }>;

/**
 * Returns the bare word that is the whole query, if an index has its best matches: only for images, and in all
 * languages.
 */
export function bareWordOf({ condition, lang, resource }: SearchQuery): WordTest | null {
  if (condition?.kind !== 'words' || lang !== 'ml' || resource !== 'image') return null;
  const { form, words, field, meanings = [] } = condition;
  const isOne = form === 'word' && words.length === 1 && field.name === 'text' && meanings.length === 0;
  return isOne ? condition : null;
}

/** A word, and the lowest level of the index to read; null for all rows that contain the word. */
export type Tops = Readonly<{ word: WordTest; lowest: number | null }>;

/**
 * Returns SQL for the rows that match a word at a level or above, possibly with others, and for the columns that rank
 * them.
 */
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
 * Returns a page of the best matches of a word. If the records that the index ranks high fill the page and no other
 * record can rank higher, the others are not read.
 *
 * @param find returns the best rows at a level and above; null means all rows.
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
 * Returns the highest level at which any row that it misses ranks below the last of these rows. If a word has several
 * forms, the rank of a record that contains one of them is divided by their number.
 */
function levelOf(rows: readonly Ranked[], size: number): number {
  const last = rows.length === size ? rows.at(-1) : undefined;
  if (last === undefined) return 0;
  const forms = (Number(last._nodes) + 1) / 2;
  return topLevels.filter((level) => (level / forms) * rounding < Number(last._rank)).length;
}
