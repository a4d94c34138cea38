import { AppError } from '../errors.ts';
import type { TenantDb } from '../tenants/index.ts';
import { FormulaError } from './formula/index.ts';
import type { Condition, Test } from './formula/index.ts';
import type { Reference, SimilarityTerm } from './formula/ast.ts';
import { leavesOf, mapTree } from './formula/tree.ts';
import { readQuestionOf } from './question.ts';
import { invalidFormula } from './invalid-formula.ts';
import type { Question, QuestionOptions } from './question.ts';
import { answerTerm } from './similar/answer-term.ts';
import type { Answered, Compared, TenantIndex } from './similar/comparison.ts';
import { gatherReferences } from './similar/gather-references.ts';
import type { Caller, Eyes, Gathered } from './similar/gather-references.ts';
import type { Likeness } from './similar/likeness.ts';
import type { TenantIndexes } from './similar/tenant-indexes.ts';
import { toCompared } from './similar/to-compared.ts';

/** What similarity terms are answered by. */
export type SimilarityServices = Eyes & Readonly<{ similar?: TenantIndexes }>;

/**
 * Looks for the records that answer the similarity terms of a question; what has none is left as it is.
 *
 * @throws AppError `invalid_formula` with the place of a reference that cannot be compared.
 */
export async function resolveSimilarity(
  db: TenantDb,
  q: string,
  question: Question,
  services: SimilarityServices,
  caller: Caller,
): Promise<Question> {
  const { condition } = question;
  const terms = condition === null ? [] : leavesOf<Test>(condition).filter((test) => test.kind === 'similarity');
  if (condition === null || terms.length === 0) return question;
  const { resource } = question;
  if (services.similar === undefined)
    throw new AppError('not_implemented', 'Similarity search is disabled in this process');
  try {
    const gathered = await gatherReferences(db, { terms, resource }, services, caller);
    const answers = await services.similar.use(
      db,
      (index, model) => answerAll(db, question, { index, model }, terms, gathered),
      resource,
    );
    const answered = (test: Test): Condition => (test.kind === 'similarity' ? { ...test, ...answers.get(test) } : test);
    return { ...question, condition: mapTree<Test, Test>(condition, answered) };
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    throw invalidFormula(q, error);
  }
}

/**
 * Reads a formula and looks for what its similarity terms refer to: a question that can be answered.
 *
 * @throws AppError as `readQuestion` and `resolveSimilarity` do.
 */
export async function resolveFormula(
  db: TenantDb,
  q: string,
  options: QuestionOptions,
  services: SimilarityServices,
  caller: Caller,
): Promise<Question> {
  return resolveSimilarity(db, q, await readQuestionOf(db, q, options), services, caller);
}

/** What a term came to, and whether words were compared. */
type Answer = Answered & Readonly<{ isByWords: boolean }>;

async function answerAll(
  db: TenantDb,
  { lang, resource }: Question,
  index: TenantIndex,
  terms: readonly SimilarityTerm[],
  gathered: ReadonlyMap<Reference, Gathered>,
): Promise<Map<SimilarityTerm, Answer>> {
  const answers = new Map<SimilarityTerm, Answer>();
  for (const term of terms) {
    const references: Compared[] = [];
    for (const reference of term.references) {
      const known = gathered.get(reference) as Gathered;
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
export function likenessOf(condition: Condition, rowId: number): Likeness | null {
  if (condition.kind === 'similarity') return condition.likenessOf?.(rowId) ?? null;
  if (condition.kind !== 'and' && condition.kind !== 'or') return null;
  const all = condition.items.flatMap((item) => likenessOf(item, rowId) ?? []);
  return all.toSorted((a, b) => b.similarity - a.similarity)[0] ?? null;
}
