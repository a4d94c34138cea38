import { LRUCache } from 'lru-cache';
import type { TenantDb } from '../../tenants/index.ts';
import { languagesOf } from '../formula/to-sql.ts';
import type { SearchLanguage } from '../formula/to-sql.ts';

/**
 * What PostgreSQL makes of a word: its forms in the languages of a query, and the word itself as the catalog stores
 * it. Null unless these are alternatives of single words: Meilisearch cannot express anything else.
 */
export type WordForms = Readonly<{ forms: readonly string[] | null; plain: string | null; isPrefix: boolean }>;

/** Cached without expiry: the functions that compute them are immutable. */
const known = new LRUCache<string, WordForms>({ max: 10_000 });

/** Only reads dictionaries, no rows of tenants. */
const ask = `SELECT word, search_forms($1::text[], word)::text AS forms, plainto_tsquery('search_words', word)::text AS plain,
    to_tsquery('search_words', word || ':*')::text AS prefix
  FROM unnest($2::text[]) AS word`;

type Row = Readonly<{ word: string; forms: string; plain: string; prefix: string }>;

/** Returns the forms of folded words, by word. */
export async function findForms(
  { pool }: TenantDb,
  lang: SearchLanguage,
  words: readonly string[],
): Promise<ReadonlyMap<string, WordForms>> {
  const keyOf = (word: string) => `${lang} ${word}`;
  const missing = [...new Set(words)].filter((word) => !known.has(keyOf(word)));
  if (missing.length > 0) {
    const { rows } = await pool.query<Row>({ name: 'word-forms', text: ask, values: [languagesOf(lang), missing] });
    for (const row of rows) known.set(keyOf(row.word), toForms(row));
  }
  const found = words.map((word) => [word, known.get(keyOf(word))] as const);
  return new Map(found.filter((each): each is readonly [string, WordForms] => each[1] !== undefined));
}

function toForms({ word, forms, plain, prefix }: Row): WordForms {
  const all = forms.split(' | ').map(singleWord);
  return {
    forms: all.every((form) => form !== null) ? all : null,
    plain: singleWord(plain),
    isPrefix: prefix === `'${word}':*`,
  };
}

/** Returns the word of a query such as `'sun'`; null for any combination. */
function singleWord(query: string): string | null {
  return /^'([^' ]+)'$/.exec(query)?.[1] ?? null;
}
