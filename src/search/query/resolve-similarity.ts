import { AppError } from '../../lib/errors.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { FormulaError } from '../formula/index.ts';
import type { Condition, Test } from '../formula/index.ts';
import type { Reference, SimilarityTerm } from '../formula/ast.ts';
import { leavesOf, mapTree } from '../formula/tree.ts';
import { readSearchQueryOf } from './search-query.ts';
import { invalidFormula } from '../formula/invalid-formula.ts';
import type { SearchQuery, SearchQueryOptions } from './search-query.ts';
import { answerTerm } from '../../similarity/references/answer-term.ts';
import type { Answered, Compared, TenantIndex } from '../../similarity/compare/comparison.ts';
import { loadReferences } from '../../similarity/references/load-references.ts';
import type { Caller, ReferenceDependencies, LoadedReferences } from '../../similarity/references/load-references.ts';
import type { MatchExplanation } from '../../similarity/compare/match-explanation.ts';
import type { TenantIndexes } from '../../similarity/index/tenant-indexes.ts';
import { toCompared } from '../../similarity/compare/to-compared.ts';

/** What similarity terms are answered by. */
export type SimilarityServices = ReferenceDependencies & Readonly<{ similar?: TenantIndexes }>;

/**
 * Looks for the records that answer the similarity terms of a question; what has none is left as it is.
 *
 * @throws AppError `invalid_formula` with the place of a reference that cannot be compared.
 */
export async function resolveSimilarity(
  db: TenantDb,
  q: string,
  searchQuery: SearchQuery,
  services: SimilarityServices,
  caller: Caller,
): Promise<SearchQuery> {
  const { condition } = searchQuery;
  const terms = condition === null ? [] : leavesOf<Test>(condition).filter((test) => test.kind === 'similarity');
  if (condition === null || terms.length === 0) return searchQuery;
  const { resource } = searchQuery;
  if (services.similar === undefined)
    throw new AppError('not_implemented', 'Similarity search is disabled in this process');
  try {
    const loaded = await loadReferences(db, { terms, resource }, services, caller);
    const answers = await services.similar.use(
      db,
      (index, model) => answerAll(db, searchQuery, { index, model }, terms, loaded),
      resource,
    );
    const answered = (test: Test): Condition => (test.kind === 'similarity' ? { ...test, ...answers.get(test) } : test);
    return { ...searchQuery, condition: mapTree<Test, Test>(condition, answered) };
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    throw invalidFormula(q, error);
  }
}

/**
 * Reads a formula and looks for what its similarity terms refer to: a question that can be answered.
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

/** What a term came to, and whether words were compared. */
type Answer = Answered & Readonly<{ isByWords: boolean }>;

async function answerAll(
  db: TenantDb,
  { lang, resource }: SearchQuery,
  index: TenantIndex,
  terms: readonly SimilarityTerm[],
  loaded: ReadonlyMap<Reference, LoadedReferences>,
): Promise<Map<SimilarityTerm, Answer>> {
  const answers = new Map<SimilarityTerm, Answer>();
  for (const term of terms) {
    const references: Compared[] = [];
    for (const reference of term.references) {
      const known = loaded.get(reference) as LoadedReferences;
      references.push(await toCompared(db, index, { resource, term, reference }, known));
    }
    const isByWords = references.some(({ text }) => text !== null);
    answers.set(term, { ...(await answerTerm(db, index, { resource, term, references, lang })), isByWords });
  }
  return answers;
}

/**
 * How similar each record is to what a condition asks for: the mean of the terms of an AND that it
 * answers, the best of an OR; what is negated does not count. Null where nothing is asked.
 */
export function similaritiesOf(condition: Condition): ReadonlyMap<number, number> | null {
  switch (condition.kind) {
    case 'similarity':
      return condition.found ?? new Map();
    case 'and':
    case 'or': {
      const parts = condition.items.flatMap((item) => similaritiesOf(item) ?? []);
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

/** What of a condition asks for similarity and is not negated, the rest left out; null where nothing does. */
export function similarPart(condition: Condition): Condition | null {
  if (condition.kind === 'similarity') return condition;
  if (condition.kind !== 'and' && condition.kind !== 'or') return null;
  const items = condition.items.flatMap((item) => similarPart(item) ?? []);
  return items.length === 0 ? null : { ...condition, items };
}

/** Why a record answers: by the term, of those not negated, that it answers best. */
export function explainMatchOf(condition: Condition, rowId: number): MatchExplanation | null {
  if (condition.kind === 'similarity') return condition.explainMatch?.(rowId) ?? null;
  if (condition.kind !== 'and' && condition.kind !== 'or') return null;
  const all = condition.items.flatMap((item) => explainMatchOf(item, rowId) ?? []);
  return all.toSorted((a, b) => b.similarity - a.similarity)[0] ?? null;
}
