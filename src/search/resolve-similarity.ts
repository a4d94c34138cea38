import { AppError } from '../errors.ts';
import type { TenantDb } from '../tenants/index.ts';
import { FormulaError, toProblem } from './formula/index.ts';
import type { Condition, Test } from './formula/index.ts';
import { leavesOf, mapTree } from './formula/tree.ts';
import type { Question } from './question.ts';
import { answerVideoTerms } from './resolve-video-similarity.ts';
import { answerTerm, findRecords, isComparable } from './similar/answer-term.ts';
import type { Scores } from './similar/answer-term.ts';
import type { SimilarityIndex } from './similar/memory/similarity-index.ts';
import type { TenantIndexes } from './similar/tenant-indexes.ts';

/** A similarity term of a formula. */
export type Term = Extract<Test, { kind: 'similarity' }>;

/**
 * Looks for the records that answer the similarity terms of a question; what has none is left as it is.
 *
 * @throws AppError `invalid_formula` with the place of a reference that cannot be compared, or `not_implemented`.
 */
export async function resolveSimilarity(
  db: TenantDb,
  q: string,
  question: Question,
  indexes: TenantIndexes | undefined,
): Promise<Question> {
  const { condition, resource } = question;
  const terms = condition === null ? [] : leavesOf<Test>(condition).filter((test) => test.kind === 'similarity');
  if (condition === null || terms.length === 0) return question;
  if (indexes === undefined) throw new AppError('not_implemented', 'Search by similarity is not served here');
  const answer = resource === 'image' ? answerAll : answerVideoTerms;
  try {
    const found = await indexes.use(db, (index) => answer(db, index, terms), resource);
    const answered = (test: Test): Condition =>
      test.kind === 'similarity' ? { ...test, found: found.get(test) ?? new Map() } : test;
    return { ...question, condition: mapTree<Test, Test>(condition, answered) };
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    throw new AppError('invalid_formula', error.message, toProblem(q, error));
  }
}

async function answerAll(db: TenantDb, index: SimilarityIndex, terms: readonly Term[]): Promise<Map<Term, Scores>> {
  const ids = terms.flatMap(({ references }) => references.map(({ value }) => value));
  const records = await findRecords(db, ids);
  const found = new Map<Term, Scores>();
  for (const term of terms) {
    const references = term.references.map((reference) => {
      refuseUnserved(term, reference.scheme);
      const rowId = records.get(reference.value);
      if (rowId !== undefined && isComparable(index, term.operator, rowId)) {
        return { rowId, isNegative: reference.isNegative };
      }
      const problem =
        rowId === undefined ? `No image '${reference.value}'` : `Image '${reference.value}' cannot be compared`;
      const hint =
        rowId === undefined ? 'Name an image of the catalog by its id.' : 'It is compared once it has been analysed.';
      throw new FormulaError({ code: 'unknown_reference', span: reference.span, problem, hint });
    });
    const scores = await answerTerm(db, index, term.operator, references);
    const least = term.minScore ?? 0;
    found.set(term, new Map([...scores].filter(([, score]) => score >= least)));
  }
  return found;
}

/** @throws AppError `not_implemented` for what is not compared yet. */
export function refuseUnserved({ box }: Term, scheme: Term['references'][number]['scheme']): void {
  if (box !== null) throw new AppError('not_implemented', 'Similarity to a part of an image is not implemented yet');
  if (scheme === 'id') return;
  throw new AppError('not_implemented', `Similarity to a ${scheme} is not implemented yet, only to images by their id`);
}

/**
 * How similar each record is to what a condition asks for: the mean of the terms of an AND that it
 * answers, the best of an OR; what is negated does not count. Null where nothing is asked.
 */
export function similaritiesOf(condition: Condition): Scores | null {
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
