import { AppError } from '../../lib/errors.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { FormulaError } from '../formula/index.ts';
import type { Condition, Test } from '../formula/index.ts';
import type { SimilarityTerm } from '../formula/ast.ts';
import { leavesOf } from '../formula/tree.ts';
import { correctWords } from './correct-words.ts';
import { readSearchQueryOf, whereOf } from './search-query.ts';
import { invalidFormula } from '../formula/invalid-formula.ts';
import type { SearchQuery, SearchQueryOptions, SimilarityAnswer, SimilarityAnswers } from './search-query.ts';
import { scoreText } from './score-text.ts';
import { answerTerm, loadReferences, toCompared, UnknownReference } from '../../similarity/index.ts';
import type {
  Caller,
  Compared,
  Compares,
  LoadedReferences,
  MatchExplanation,
  ReferenceDependencies,
  RowFilter,
  SearchIndex,
  SimilarityOperator,
  TenantIndex,
  TenantIndexes,
  TermReference,
  VectorModel,
} from '../../similarity/index.ts';

/** What resolving similarity terms depends on. */
export type SimilarityServices = ReferenceDependencies & Readonly<{ similar?: TenantIndexes }>;

/**
 * Which records count when an index only finds the nearest: those that match the rest of the formula, among these
 * rows.
 */
export type Narrowing = Readonly<{ byFormula?: boolean; rows?: string }>;

/**
 * Finds the records that match the similarity terms of a query; a query without any is returned unchanged.
 *
 * @throws AppError `invalid_formula` with the position of a reference that cannot be compared.
 */
export async function resolveSimilarity(
  db: TenantDb,
  q: string,
  searchQuery: SearchQuery,
  services: SimilarityServices,
  caller: Caller,
  narrowing: Narrowing = {},
): Promise<SearchQuery> {
  const { condition, resource } = searchQuery;
  const terms = condition === null ? [] : leavesOf<Test>(condition).filter((test) => test.kind === 'similarity');
  if (condition === null || terms.length === 0) return searchQuery;
  const { similar } = services;
  if (similar === undefined) throw new AppError('not_implemented', 'Similarity search is disabled in this process');
  try {
    const loaded = await loadReferences(db, { terms, resource }, services, caller);
    const compares = [...new Set(terms.flatMap(({ operator }) => comparedBy(operator)))];
    /** Whether the rest of the formula narrowed the search. */
    const used = { rest: false };
    const answer = (query: SearchQuery) => {
      const within = withinRest(db, query, narrowing, () => (used.rest = true));
      const work = (index: SearchIndex, model: VectorModel | null) =>
        answerAll(db, query, { index: { index, model }, terms, loaded, within });
      return similar.search(db, work, resource, compares);
    };
    const answers = await answer(searchQuery);
    return { ...searchQuery, answers, ...(used.rest && { answerAgain: answer }) };
  } catch (error) {
    if (!(error instanceof UnknownReference)) throw error;
    throw invalidFormula(q, placed(error, terms));
  }
}

/** Returns a filter for the records that count; null if all do. */
function withinRest(
  db: TenantDb,
  searchQuery: SearchQuery,
  { byFormula = true, rows }: Narrowing,
  onUse: () => void,
): RowFilter | null {
  const rest = byFormula ? withoutSimilarity(searchQuery) : null;
  if (rest === null && rows === undefined) return null;
  return async (parameter) => {
    onUse();
    const all = rest ?? { ...searchQuery, condition: null };
    const where = whereOf(await correctWords(db, all), parameter);
    return rows === undefined ? where : `${where} AND row_id = ANY (${parameter(rows)}::bigint[])`;
  };
}

function comparedBy(operator: SimilarityOperator): readonly Compares[] {
  if (operator.startsWith('~')) return ['vectors'];
  return operator === '=' ? ['hashes', 'parts', 'vectors'] : ['hashes'];
}

/** Returns the query with only those parts of a conjunction that have no similarity terms; null if there are none. */
function withoutSimilarity(searchQuery: SearchQuery): SearchQuery | null {
  const { condition } = searchQuery;
  if (condition?.kind !== 'and') return null;
  const items = condition.items.filter((item) => leavesOf<Test>(item).every(({ kind }) => kind !== 'similarity'));
  return items.length === 0 ? null : { ...searchQuery, condition: { ...condition, items } };
}

/** Returns the error at the position of its reference in the formula. */
function placed({ reference, problem, hint }: UnknownReference, terms: readonly SimilarityTerm[]): FormulaError {
  const references = terms.flatMap((term) => term.references);
  const { span } = references.find((each) => each === reference) ?? (terms[0] as SimilarityTerm);
  return new FormulaError({ code: 'unknown_reference', span, problem, hint });
}

/**
 * Reads a formula and resolves its similarity terms.
 *
 * @throws AppError as `readSearchQuery` and `resolveSimilarity` do.
 */
export async function resolveFormula(
  db: TenantDb,
  q: string,
  options: SearchQueryOptions,
  services: SimilarityServices,
  caller: Caller,
): Promise<SearchQuery> {
  return resolveSimilarity(db, q, await readSearchQueryOf(db, q, options), services, caller);
}

type Resolving = Readonly<{
  index: TenantIndex;
  terms: readonly SimilarityTerm[];
  loaded: ReadonlyMap<TermReference, LoadedReferences>;
  within: RowFilter | null;
}>;

async function answerAll(
  db: TenantDb,
  { lang, resource }: SearchQuery,
  { index, terms, loaded, within }: Resolving,
): Promise<Map<SimilarityTerm, SimilarityAnswer>> {
  const score = (text: string) => scoreText(db, text, { lang, resource });
  const answers = new Map<SimilarityTerm, SimilarityAnswer>();
  for (const term of terms) {
    const references: Compared[] = [];
    for (const reference of term.references) {
      const known = loaded.get(reference) as LoadedReferences;
      references.push(await toCompared(db, index, { resource, term, reference }, known));
    }
    const isByWords = references.some(({ text }) => text !== null);
    answers.set(term, {
      ...(await answerTerm(db, index, { resource, term, references, scoreText: score, within })),
      isByWords,
    });
  }
  return answers;
}

/**
 * Returns the similarity of each record to a condition: the mean of the matching terms of an AND, the best of an OR;
 * negated terms do not count. Null without similarity terms.
 */
export function similaritiesOf(condition: Condition, answers: SimilarityAnswers): ReadonlyMap<number, number> | null {
  switch (condition.kind) {
    case 'similarity':
      return answers.get(condition)?.found ?? new Map();
    case 'and':
    case 'or': {
      const parts = condition.items.flatMap((item) => similaritiesOf(item, answers) ?? []);
      if (parts.length === 0) return null;
      const join = condition.kind === 'and' ? meanOf : (scores: readonly number[]) => Math.max(...scores);
      const ids = new Set(parts.flatMap((part) => [...part.keys()]));
      return new Map([...ids].map((id) => [id, join(parts.flatMap((part) => part.get(id) ?? []))]));
    }
    default:
      return null;
  }
}

function meanOf(scores: readonly number[]): number {
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

/** Returns the similarity terms of a condition that are not negated; null if there are none. */
export function similarPart(condition: Condition): Condition | null {
  if (condition.kind === 'similarity') return condition;
  if (condition.kind !== 'and' && condition.kind !== 'or') return null;
  const items = condition.items.flatMap((item) => similarPart(item) ?? []);
  return items.length === 0 ? null : { ...condition, items };
}

/** Explains a match by the term that it matches best, among those that are not negated. */
export function explainMatchOf(
  condition: Condition,
  answers: SimilarityAnswers,
  rowId: number,
): MatchExplanation | null {
  if (condition.kind === 'similarity') return answers.get(condition)?.explainMatch(rowId) ?? null;
  if (condition.kind !== 'and' && condition.kind !== 'or') return null;
  const all = condition.items.flatMap((item) => explainMatchOf(item, answers, rowId) ?? []);
  return all.toSorted((a, b) => b.similarity - a.similarity)[0] ?? null;
}
