import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Condition, Test } from '../formula/index.ts';
import { isBranch, leavesOf } from '../formula/tree.ts';
import { maxDepth } from '../query/compose-page.ts';
import type { ListOptions } from '../query/compose-page.ts';
import type { SearchQuery } from '../query/search-query.ts';
import { attributeOf } from './attributes.ts';
import type { BackendReason } from './backend.ts';
import { compileFilter, equalsAny, plainTokens, wordsToKnow } from './to-filter.ts';
import { findForms } from './word-forms.ts';

type WordsTest = Extract<Test, { kind: 'words' }>;

/** The attribute to sort by for each order; PostgreSQL sorts by texts. */
const sorts: Readonly<Record<Resource, ReadonlyMap<string, string>>> = {
  image: sortsFor('height', 'width', 'n_faces', 'aspect_ratio'),
  video: sortsFor('height', 'width', 'duration_secs').set('date_jdn', attributeOf.from('date')),
};

function sortsFor(...names: readonly string[]): Map<string, string> {
  const own = names.map((name) => [name, attributeOf.number(name)] as const);
  return new Map([...own, ['', attributeOf.number('created_at')], ['date', attributeOf.from('date')]]);
}

/** Number of words that Meilisearch reads of a query. */
const mostWords = 10;
/** Words that Meilisearch certainly tokenizes as we do. */
const safeWord = /^[a-z0-9]+$|^[а-яё]+$/;

/** Two filters: `plain` for the words as written, `written` for these words and all other conditions. */
type Ranking = Readonly<{ q: string; plain: string; written: string }>;

/** How a list is requested. */
export type ListPlan = Readonly<{ filter: string }> &
  (Readonly<{ kind: 'sorted'; sort: readonly string[] }> | (Readonly<{ kind: 'ranked' }> & Ranking));

/** Returns how to query Meilisearch for a page, or why that is not possible. */
export async function planList(
  db: TenantDb,
  searchQuery: SearchQuery,
  { sortBy, sortOrder, cursor, withCursor, page, limit }: Omit<ListOptions, 'properties'>,
): Promise<ListPlan | BackendReason> {
  const { condition, resource } = searchQuery;
  const attribute = sorts[resource].get(sortBy);
  const isWalk = cursor !== null || withCursor;
  // PostgreSQL lists everything by scanning an index.
  if (condition === null || isWalk || attribute === undefined || page * limit > maxDepth) return 'order';
  const filter = await filterOf(db, searchQuery);
  if (filter === null) return 'formula';
  const ranking = sortBy === '' ? await rankingOf(db, searchQuery) : 'none';
  if (ranking === 'none') return { kind: 'sorted', filter, sort: [`${attribute}:${sortOrder}`, 'key:asc'] };
  // Meilisearch only ranks best first.
  return ranking === null || sortOrder === 'asc' ? 'order' : { kind: 'ranked', filter, ...ranking };
}

/** Caches a plan along with its query, because the same query is paged, counted and faceted. */
function keptWith<T>(make: (db: TenantDb, searchQuery: SearchQuery) => Promise<T>) {
  const kept = new WeakMap<SearchQuery, Readonly<{ made: T }>>();
  return async (db: TenantDb, searchQuery: SearchQuery): Promise<T> => {
    let found = kept.get(searchQuery);
    if (found === undefined) kept.set(searchQuery, (found = { made: await make(db, searchQuery) }));
    return found.made;
  };
}

/** Returns the query as a filter; null if Meilisearch cannot answer it exactly. */
export const filterOf = keptWith(async (db, { condition, resource, lang }): Promise<string | null> => {
  if (condition === null) return null;
  const forms = await findForms(db, lang, wordsToKnow(condition));
  return compileFilter(condition, { resource, lang, forms });
});

/** Returns the words that rank the results; 'none' without bare words, null if Meilisearch would rank differently. */
const rankingOf = keptWith(async (db, searchQuery): Promise<Ranking | 'none' | null> => {
  const { condition } = searchQuery;
  const { words, others } = condition === null ? noWords : bareWords(condition);
  if (words === null || words.length > mostWords) return null;
  if (words.length === 0) return 'none';
  const plain = words.map((word) => equalsAny('tokens', plainTokens(word))).join(' AND ');
  // The filter for the words as written implies the word conditions, so only the other conditions remain.
  const isMore = condition?.kind === 'and' && others.length > 0;
  const rest = isMore ? await filterOf(db, { ...searchQuery, condition: { ...condition, items: others } }) : null;
  return { q: words.join(' '), plain, written: rest === null ? plain : `${rest} AND ${plain}` };
});

/**
 * The bare words that a record must all contain, and the other conditions; `words` is null if another condition
 * affects the rank.
 */
type Asked = Readonly<{ words: readonly string[] | null; others: readonly Condition[] }>;

const noWords: Asked = { words: [], others: [] };

function bareWords(condition: Condition): Asked {
  const parts = condition.kind === 'and' ? condition.items : [condition];
  const words: string[] = [];
  const others: Condition[] = [];
  for (const part of parts) {
    const bare = isBare(part);
    if (bare && isPlainWord(part)) words.push(part.words[0] ?? '');
    else if (bare || (part.kind !== 'not' && leavesOf<Test>(part).some(isBare))) return { words: null, others };
    else others.push(part);
  }
  return { words, others };
}

function isBare(test: Condition): test is WordsTest {
  return !isBranch<Test>(test) && test.kind === 'words' && test.field.name === 'text';
}

function isPlainWord({ form, words, meanings }: WordsTest): boolean {
  return form === 'word' && words.length === 1 && meanings === undefined && safeWord.test(words[0] ?? '');
}
