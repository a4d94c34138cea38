import type { Condition, Node, Span, Test } from '../formula/index.ts';
import { formatNormal } from '../formula/format.ts';
import { isBranch, leavesOf } from '../formula/tree.ts';
import type { SimilarityAnswers } from '../query/search-query.ts';
import type { Describe } from './describe.ts';

export const clauseKinds = ['and', 'or', 'not', 'term'] as const;

/** A part of a formula: a term, or an operator that combines other parts. */
export type Clause = Readonly<{
  /** Its number in preorder: the root is 0, and each clause comes before its own parts. */
  id: number;
  parent: number | null;
  kind: (typeof clauseKinds)[number];
  /** In canonical form. */
  text: string;
  sentence: string;
  span: Span;
  condition: Condition;
}>;

/** Maximum number of clauses whose hits are counted one by one. */
export const maxCounted = 50;
/** Maximum tests in one counting statement: a test takes up to three parameters, and PostgreSQL accepts 65,535. */
const maxCountedTests = 10_000;

/**
 * Returns the parts of a formula, each before its own parts. The expansion of a term, such as the formula
 * behind a saved name, is not split: its positions refer to another text.
 */
export function clausesOf(node: Node, condition: Condition, describe: Describe): Clause[] {
  const clauses: Clause[] = [];
  const visit = (part: Node, meaning: Condition, parent: number | null): void => {
    const id = clauses.length;
    clauses.push({
      id,
      parent,
      kind: isBranch(part) ? part.kind : 'term',
      text: formatNormal(part),
      sentence: describe(meaning),
      span: part.span,
      condition: meaning,
    });
    if (!isBranch(part) || !isBranch<Test>(meaning)) return;
    if (part.kind === 'not' && meaning.kind === 'not') visit(part.item, meaning.item, id);
    if (part.kind === 'not' || meaning.kind === 'not') return;
    for (const [index, item] of part.items.entries()) visit(item, meaning.items[index] as Condition, id);
  };
  visit(node, condition, null);
  return clauses;
}

/** Returns as many of the first conditions as one statement can count. */
export function withinStatement<T extends Readonly<{ condition: Condition }>>(parts: readonly T[]): T[] {
  let tests = 0;
  return parts.filter(({ condition }) => (tests += leavesOf<Test>(condition).length) <= maxCountedTests);
}

/** Whether PostgreSQL can count the matches of a condition; similarity terms only if they have been answered before. */
export function isCountable(condition: Condition, answers: SimilarityAnswers): boolean {
  return leavesOf<Test>(condition).every((test) => test.kind !== 'similarity' || answers.has(test));
}
