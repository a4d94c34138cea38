import { tenantRead, tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Condition, Test } from '../formula/index.ts';
import { languagesOf } from '../formula/to-sql.ts';
import { isBranch, leavesOf, mapTree } from '../formula/tree.ts';
import { createParameters } from './search-query.ts';
import type { SearchQuery } from './search-query.ts';
import { swappedNeighbors, toleratedEdits } from './typos.ts';

/** The vocabulary has no longer words. */
const maxLetters = 40;
/** How many words of a formula are looked up, and how many corrections one gets. */
const limits = { words: 20, meanings: 8 } as const;

/**
 * Finds words at most `$3` edits away from `$2`; `$4` has those with two adjacent letters swapped, which counts as
 * one edit.
 */
const meanings = tenantStatement(
  'meanings-of-word',
  `SELECT word FROM search_word WHERE tenant_id = $1
     AND char_length(word) BETWEEN char_length($2::text) - $3::int AND char_length($2::text) + $3::int
     AND (word = ANY ($4::text[]) OR levenshtein_less_equal(word, $2::text, $3::int) <= $3::int)
   ORDER BY NOT word = ANY ($4::text[]) AND levenshtein_less_equal(word, $2::text, $3::int) > 1, word LIMIT ${limits.meanings}`,
);

/**
 * Returns the query with its mistyped words corrected. It never corrects a word that any record contains, a word in a
 * phrase, a prefix, a word with a digit, or the word of a field term.
 */
export async function correctWords(db: TenantDb, searchQuery: SearchQuery): Promise<SearchQuery> {
  const { condition } = searchQuery;
  if (condition === null) return searchQuery;
  const asked = [...new Set(leavesOf<Test>(condition).flatMap((test) => correctable(test) ?? []))].slice(
    0,
    limits.words,
  );
  if (asked.length === 0) return searchQuery;
  const meant = new Map<string, readonly string[]>();
  for (const word of await unknownWords(db, searchQuery, asked)) meant.set(word, await findMeanings(db, word));
  if ([...meant.values()].every((words) => words.length === 0)) return searchQuery;
  const correct = (test: Test): Condition => {
    const words = meant.get(correctable(test) ?? '') ?? [];
    return words.length === 0 || test.kind !== 'words' ? test : { ...test, meanings: words };
  };
  return { ...searchQuery, condition: mapTree<Test, Test>(condition, correct) };
}

/** Returns when to look up the words of a query. */
export function mayNeedCorrection({ condition }: SearchQuery): 'never' | 'if-nothing-is-found' | 'always' {
  if (condition === null) return 'never';
  const parts = condition.kind === 'and' ? condition.items : [condition];
  const within = parts.filter((part) => leavesOf<Test>(part).some((test) => correctable(test) !== null));
  if (within.length === 0) return 'never';
  return within.every((part) => !isBranch<Test>(part)) ? 'if-nothing-is-found' : 'always';
}

/**
 * Returns the words that no text of the tenant contains. Each is a literal, so that rare and common words get their
 * own plan.
 */
async function unknownWords(
  db: TenantDb,
  { lang, resource }: SearchQuery,
  words: readonly string[],
): Promise<string[]> {
  const { values, parameter } = createParameters();
  const langs = `${parameter(languagesOf(lang))}::text[]`;
  const exist = words.map((word) => {
    const [forms, plain] = [parameter(word), parameter(word)];
    return `EXISTS (SELECT FROM ${resource} WHERE tenant_id = $1
      AND (stems @@ search_forms(${langs}, ${forms}::text) OR words @@ plainto_tsquery('search_words', ${plain})))`;
  });
  const { rows } = await db.query<{ known: string[] }>(
    tenantRead(`SELECT ARRAY[${exist.join(', ')}]::text[] AS known`),
    values,
  );
  return words.filter((_, index) => rows[0]?.known[index] !== 'true');
}

/** Returns the word of a test if it may be corrected, or null. */
function correctable(test: Test): string | null {
  if (test.kind !== 'words' || test.form !== 'word' || test.field.name !== 'text') return null;
  const [word = ''] = test.words;
  const isOne = test.words.length === 1 && [...word].length <= maxLetters;
  return isOne && toleratedEdits(word) > 0 ? word : null;
}

async function findMeanings(db: TenantDb, word: string): Promise<string[]> {
  const { rows } = await db.query<{ word: string }>(meanings, [word, toleratedEdits(word), swappedNeighbors(word)]);
  return rows.map((row) => row.word);
}
