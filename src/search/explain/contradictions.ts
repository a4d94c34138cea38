import type { FormulaField } from '../../catalog/index.ts';
import type { Condition, Test } from '../formula/index.ts';
import type { Span } from '../formula/index.ts';
import { isBranch } from '../formula/tree.ts';
import { fold } from '../formula/words.ts';

type Of<Kind extends Test['kind']> = Extract<Test, { kind: Kind }>;

/** A part of a formula that no record can ever answer. */
export type Contradiction = Readonly<{ message: string; span: Span }>;

/** A part of a conjunction that is about one thing: a test, its negation, or one of several values. */
type Demand = Readonly<{ isNegated: boolean; tests: readonly Test[]; span: Span }>;

/** What can never match, from the left; nothing where records of some kind could answer. */
export function findContradictions(condition: Condition | null): Contradiction[] {
  if (condition === null) return [];
  if (!isBranch<Test>(condition)) return impossible(condition);
  if (condition.kind === 'not') return [];
  const inner = condition.items.flatMap(findContradictions);
  return condition.kind === 'or' ? inner : [...inner, ...clashes(condition.items)];
}

/** A test that nothing passes. */
function impossible(test: Test): Contradiction[] {
  if (test.kind === 'range' && test.high !== null && Number(test.high.value) < 0) {
    return [{ message: `${test.field.name} is never negative`, span: test.span }];
  }
  return [];
}

function clashes(items: readonly Condition[]): Contradiction[] {
  const demands = items.flatMap(demandsOf);
  return demands.flatMap((second, index) =>
    demands.slice(0, index).flatMap((first) => {
      const message = clash(first, second) ?? clash(second, first);
      return message === null ? [] : [{ message, span: second.span }];
    }),
  );
}

function demandsOf(item: Condition): Demand[] {
  if (!isBranch<Test>(item)) return [{ isNegated: false, tests: [item], span: item.span }];
  // What a saved formula stands for can be a conjunction inside a conjunction.
  if (item.kind === 'and') return item.items.flatMap(demandsOf);
  const isNegated = item.kind === 'not';
  const inner = isNegated ? item.item : item;
  if (!isBranch<Test>(inner)) return [{ isNegated, tests: [inner], span: item.span }];
  const tests = inner.kind === 'or' ? inner.items.filter((each): each is Test => !isBranch<Test>(each)) : [];
  const isPlain = inner.kind === 'or' && tests.length === inner.items.length;
  return isPlain ? [{ isNegated, tests, span: item.span }] : [];
}

/** Why both cannot hold; null where they can, as far as that is plain. */
function clash(first: Demand, second: Demand): string | null {
  if (first.isNegated && second.isNegated) return null;
  if (first.isNegated) return clashWithNegation(second, first);
  if (second.isNegated) return clashWithNegation(first, second);
  const pairs = first.tests.flatMap((a) => second.tests.map((b) => apart(a, b)));
  const [reason = null] = pairs;
  return pairs.every((each) => each !== null) ? reason : null;
}

/** `no:country country:es`, `dog -dog`. */
function clashWithNegation(asked: Demand, negated: Demand): string | null {
  const covered = asked.tests.every((test) => negated.tests.some((other) => covers(other, test)));
  if (!covered) return null;
  const [test] = negated.tests;
  const isPresence = test?.kind === 'present' && asked.tests.every(({ kind }) => kind !== 'present');
  return isPresence
    ? `${test.field.name} is missing, so it has no value`
    : 'a part and its negation exclude each other';
}

/** Whether every record that passes `test` passes `other`. */
function covers(other: Test, test: Test): boolean {
  if (other.kind === 'everything') return true;
  if (other.kind === 'present' && 'field' in test && test.field === other.field) {
    return test.kind !== 'boolean' || test.value !== null;
  }
  return keyOf(other) === keyOf(test);
}

/** Two tests with one key ask the same. */
function keyOf(test: Test): string {
  const { span: _, ...own } = test;
  return JSON.stringify('field' in own ? { ...own, field: own.field.name } : own);
}

/** Why one record cannot pass both. */
function apart(a: Test, b: Test): string | null {
  if (!('field' in a) || !('field' in b) || a.field !== b.field) return null;
  const { name } = a.field;
  if (a.kind === 'value' && b.kind === 'value') return valuesApart(a, b, a.field);
  if (a.kind === 'boolean' && b.kind === 'boolean' && a.value !== b.value) {
    return `${name} cannot be ${a.value} and ${b.value} at once`;
  }
  if (a.kind === 'boolean' && a.value === null && b.kind === 'present') {
    return `${name} is missing, so it has no value`;
  }
  const isRange = a.kind === 'range' && b.kind === 'range' && (rangesApart(a, b) || rangesApart(b, a));
  const isPeriod = a.kind === 'period' && b.kind === 'period' && (periodsApart(a, b) || periodsApart(b, a));
  return isRange || isPeriod ? `${name} has one value, which cannot be in both` : null;
}

/** A list can have both. */
function valuesApart(a: Of<'value'>, b: Of<'value'>, { name, kind, isExact }: FormulaField): string | null {
  if (kind === 'list') return null;
  const [one, other] = [a, b].map(({ text }) => (isExact || kind === 'enum' ? text : fold(text))) as [string, string];
  const isApart =
    a.isPrefix && b.isPrefix
      ? !one.startsWith(other) && !other.startsWith(one)
      : a.isPrefix
        ? !other.startsWith(one)
        : b.isPrefix
          ? !one.startsWith(other)
          : one !== other;
  return isApart ? `${name} has one value: it cannot be '${a.text}' and '${b.text}' at once` : null;
}

function rangesApart({ high }: Of<'range'>, { low }: Of<'range'>): boolean {
  if (high === null || low === null) return false;
  const [top, bottom] = [Number(high.value), Number(low.value)];
  return top < bottom || (top === bottom && !(high.isIncluded && low.isIncluded));
}

function periodsApart({ to }: Of<'period'>, { from }: Of<'period'>): boolean {
  return to !== null && from !== null && Date.parse(to) <= Date.parse(from);
}
