import type { TenantDb } from '../../tenants/index.ts';
import { correctWords } from '../query/correct-words.ts';
import { planBackend } from '../meilisearch/backend-plan.ts';
import type { PlannedPart } from '../meilisearch/backend-plan.ts';
import type { MeilisearchBackend } from '../meilisearch/backend.ts';
import { formatFormula } from '../formula/index.ts';
import type { Span, Test } from '../formula/index.ts';
import { leavesOf } from '../formula/tree.ts';
import { readSearchQueryOf } from '../query/search-query.ts';
import type { SearchQuery, SearchQueryOptions } from '../query/search-query.ts';
import { contentWords } from '../query/score-text.ts';
import { clausesOf, isCountable, maxCounted, withinStatement } from './clauses.ts';
import type { Clause } from './clauses.ts';
import { findContradictions } from './contradictions.ts';
import { countEach } from './count-clauses.ts';
import { createDescriber } from './describe.ts';
import { findEmptying } from './empty.ts';
import type { Emptied } from './empty.ts';
import type { Locale } from '../../catalog/index.ts';
import { messages } from './messages.ts';
import type { Messages } from './messages.ts';
import { suggestFormulas } from './suggestions.ts';
import type { Suggestion } from './suggestions.ts';
import { findTitles } from './titles.ts';

export const warningCodes = ['never_matches', 'not_counted', 'counting_took_too_long', 'text_by_concepts'] as const;

export type FormulaWarning = Readonly<{ code: (typeof warningCodes)[number]; message: string; span: Span }>;

/** What a formula means and finds. */
export type Explanation = Readonly<{
  /** With every group in parentheses. */
  text: string;
  sentence: string;
  /** Number of matching records; null if not counted. */
  count: number | null;
  clauses: readonly (Clause & Readonly<{ count: number | null }>)[];
  emptied: Emptied | null;
  /** If nothing is found: similar formulas that find something. */
  suggestions: readonly Suggestion[];
  warnings: readonly FormulaWarning[];
  /** Words that no record contains, and what they were corrected to. */
  corrections: readonly Readonly<{ word: string; meanings: readonly string[] }>[];
  /** If Meilisearch is configured: the backends that would answer a list and its count. */
  answeredBy: readonly PlannedPart[];
}>;

/** Resolves similarity terms; clauses with terms that it leaves unresolved are not counted. */
type Resolve = (searchQuery: SearchQuery) => Promise<SearchQuery>;

/**
 * Explains a formula: what it says, how many records each part finds, and what can never match.
 *
 * @throws AppError `invalid_formula` for the same formulas as a search.
 */
export async function explainFormula(
  db: TenantDb,
  q: string,
  {
    locale,
    meilisearch,
    ...options
  }: SearchQueryOptions & Readonly<{ locale: Locale; meilisearch?: MeilisearchBackend | undefined }>,
  resolve: Resolve = async (searchQuery) => searchQuery,
): Promise<Explanation> {
  const searchQuery = await correctWords(db, await resolve(await readSearchQueryOf(db, q, options)));
  const { node, condition, resource } = searchQuery;
  const describe = createDescriber(resource, locale, await findTitles(db, condition, resource));
  const parts = node === null || condition === null ? [] : clausesOf(node, condition, describe);
  const { counts, warnings } = await countParts(db, searchQuery, parts, messages[locale]);
  const clauses = parts.map((part) => ({ ...part, count: counts.get(part.id) ?? null }));
  const whole = counts.get(0) ?? null;
  const contradictions = findContradictions(condition, locale);
  return {
    text: formatFormula(node),
    sentence: describe(condition),
    count: whole,
    clauses,
    emptied: await findEmptying(db, searchQuery, clauses),
    suggestions: await suggestFormulas(db, q, clauses, searchQuery, options),
    warnings: [
      ...contradictions.map((each) => ({ code: 'never_matches' as const, ...each })),
      ...warnings,
      ...byConcepts(searchQuery, messages[locale]),
    ],
    corrections: condition === null ? [] : leavesOf<Test>(condition).flatMap(correctionOf),
    answeredBy: meilisearch === undefined ? [] : await planBackend(db, meilisearch, searchQuery),
  };
}

/** Warns about reference texts that no model can embed, and says which words are compared instead. */
function byConcepts({ condition, answers }: SearchQuery, say: Messages): FormulaWarning[] {
  const tests = condition === null ? [] : leavesOf<Test>(condition);
  return tests.flatMap((test) => {
    if (test.kind !== 'similarity' || answers.get(test)?.isByWords !== true) return [];
    return test.references
      .filter(({ scheme }) => scheme === 'text')
      .map(({ value, span }) => {
        return { code: 'text_by_concepts' as const, message: say.byConcepts(contentWords(value)), span };
      });
  });
}

function correctionOf(test: Test) {
  return test.kind === 'words' && test.meanings !== undefined
    ? [{ word: test.words.join(' '), meanings: test.meanings }]
    : [];
}

type Counts = Readonly<{ counts: ReadonlyMap<number, number>; warnings: readonly FormulaWarning[] }>;

async function countParts(
  db: TenantDb,
  searchQuery: SearchQuery,
  parts: readonly Clause[],
  say: Messages,
): Promise<Counts> {
  const span = parts[0]?.span ?? { start: 0, end: 0 };
  const first = parts.slice(0, maxCounted).filter(({ condition }) => isCountable(condition, searchQuery.answers));
  const countable = withinStatement(first);
  const conditions = parts.length === 0 ? [null] : countable.map(({ condition }) => condition);
  const found = await countEach(db, searchQuery, conditions);
  if (found === null) {
    return { counts: new Map(), warnings: [{ code: 'counting_took_too_long', message: say.tooSlow, span }] };
  }
  const counts = new Map(found.map((count, index) => [countable[index]?.id ?? 0, count]));
  const uncounted = parts.find(({ id }) => !counts.has(id));
  if (uncounted === undefined) return { counts, warnings: [] };
  const message =
    parts.length > maxCounted || countable.length < first.length ? say.firstClauses(countable.length) : say.notOneByOne;
  return { counts, warnings: [{ code: 'not_counted', message, span: uncounted.span }] };
}
