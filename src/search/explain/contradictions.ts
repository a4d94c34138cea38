import type { FormulaField } from '../../catalog/index.ts';
import type { Condition, Test } from '../formula/index.ts';
import type { Span } from '../formula/index.ts';
import { excerpt } from '../../lib/excerpt.ts';
import { isBranch } from '../formula/tree.ts';
import { fold } from '../formula/words.ts';
import { labelOf } from './labels.ts';
import type { Locale } from '../../catalog/index.ts';
import { messages } from './messages.ts';
import type { Messages } from './messages.ts';
import { phrases } from './phrases.ts';

type Of<Kind extends Test['kind']> = Extract<Test, { kind: Kind }>;

/** A part of a formula that no record can ever match. */
type Contradiction = Readonly<{ message: string; span: Span }>;

/** A part of a conjunction: one test or several alternatives, possibly negated. */
type Demand = Readonly<{ isNegated: boolean; tests: readonly Test[]; span: Span }>;

/** Maximum numbers of reported contradictions and of comparisons of two tests. */
export const contradictionLimits = { found: 20, comparisons: 5_000 } as const;

/** Returns the parts that can never match, from left to right; a part that some record could match is not reported. */
export function findContradictions(condition: Condition | null, locale: Locale = 'en'): Contradiction[] {
  const search = new Search(locale);
  if (condition !== null) visit(condition, search);
  return search.found.slice(0, contradictionLimits.found);
}

/** The contradictions found so far, and how many comparisons are left. */
class Search {
  readonly say: Messages;
  readonly #locale: Locale;
  readonly found: Contradiction[] = [];
  readonly #keys = new Map<Test, string>();
  readonly #folded = new Map<Test, string>();
  #comparisons: number = contradictionLimits.comparisons;

  constructor(locale: Locale) {
    this.#locale = locale;
    this.say = messages[locale];
  }

  /** Returns what a message calls a field: in English, the language of formulas, by its own name. */
  nameOf({ name }: FormulaField): string {
    return this.#locale === 'en' ? name : labelOf(name, this.#locale);
  }

  /** Returns how a message writes an answer or the value of an enumeration: in English, as formulas do. */
  wordFor(text: string): string {
    if (this.#locale === 'en') return text;
    const { answers, shapes } = phrases[this.#locale];
    const words: Readonly<Record<string, string>> = { ...answers, ...shapes };
    return words[text] ?? text;
  }

  get isOver(): boolean {
    return this.#comparisons <= 0 || this.found.length >= contradictionLimits.found;
  }

  /** Counts a comparison of two tests. */
  compare(): void {
    this.#comparisons -= 1;
  }

  /** Returns a key that equivalent tests share. */
  keyOf(test: Test): string {
    return known(this.#keys, test, () => {
      const { span: _, ...own } = test;
      return JSON.stringify('field' in own ? { ...own, field: own.field.name } : own);
    });
  }

  folded(test: Of<'value'>): string {
    return known(this.#folded, test, () => fold(test.text));
  }
}

function known(texts: Map<Test, string>, test: Test, make: () => string): string {
  let text = texts.get(test);
  if (text === undefined) texts.set(test, (text = make()));
  return text;
}

function visit(condition: Condition, search: Search): void {
  if (!isBranch<Test>(condition)) search.found.push(...impossible(condition, search));
  if (!isBranch<Test>(condition) || condition.kind === 'not') return;
  for (const item of condition.items) visit(item, search);
  if (condition.kind === 'and') findClashes(condition.items, search);
}

/** Reports a test that no record can pass. */
function impossible(test: Test, search: Search): Contradiction[] {
  if (test.kind === 'range' && test.high !== null && Number(test.high.value) < 0) {
    return [{ message: search.say.neverNegative(search.nameOf(test.field)), span: test.span }];
  }
  return [];
}

function findClashes(items: readonly Condition[], search: Search): void {
  const demands = items.flatMap(demandsOf);
  for (const [index, second] of demands.entries()) {
    for (const first of demands.slice(0, index)) {
      if (search.isOver) return;
      const message = clash(first, second, search) ?? clash(second, first, search);
      if (message !== null) search.found.push({ message, span: second.span });
    }
  }
}

function demandsOf(item: Condition): Demand[] {
  if (!isBranch<Test>(item)) return [{ isNegated: false, tests: [item], span: item.span }];
  // An expanded saved formula can be a conjunction inside a conjunction.
  if (item.kind === 'and') return item.items.flatMap(demandsOf);
  const isNegated = item.kind === 'not';
  const inner = isNegated ? item.item : item;
  if (!isBranch<Test>(inner)) return [{ isNegated, tests: [inner], span: item.span }];
  const tests = inner.kind === 'or' ? inner.items.filter((each): each is Test => !isBranch<Test>(each)) : [];
  const isPlain = inner.kind === 'or' && tests.length === inner.items.length;
  return isPlain ? [{ isNegated, tests, span: item.span }] : [];
}

/** Returns why both cannot hold; null if no contradiction is evident. */
function clash(first: Demand, second: Demand, search: Search): string | null {
  search.compare();
  if (first.isNegated && second.isNegated) return null;
  if (first.isNegated) return clashWithNegation(second, first, search);
  if (second.isNegated) return clashWithNegation(first, second, search);
  let reason: string | null = null;
  for (const a of first.tests) {
    for (const b of second.tests) {
      const own = apart(a, b, search);
      if (own === null) return null;
      reason ??= own;
    }
  }
  return reason;
}

/** Finds clashes such as `no:country country:es` and `dog -dog`. */
function clashWithNegation(asked: Demand, negated: Demand, search: Search): string | null {
  const covered = asked.tests.every((test) => negated.tests.some((other) => covers(other, test, search)));
  if (!covered) return null;
  const [test] = negated.tests;
  const isPresence = test?.kind === 'present' && asked.tests.every(({ kind }) => kind !== 'present');
  return isPresence ? search.say.missing(search.nameOf(test.field)) : search.say.negation;
}

/** Whether every record that passes `test` passes `other`. */
function covers(other: Test, test: Test, search: Search): boolean {
  search.compare();
  if (other.kind === 'everything') return true;
  if (other.kind === 'present' && 'field' in test && test.field === other.field) {
    return test.kind !== 'boolean' || test.value !== null;
  }
  return search.keyOf(other) === search.keyOf(test);
}

/** Returns why no record can pass both tests; null if one might. */
function apart(a: Test, b: Test, search: Search): string | null {
  search.compare();
  if (!('field' in a) || !('field' in b) || a.field !== b.field) return null;
  const { say } = search;
  const name = search.nameOf(a.field);
  if (a.kind === 'value' && b.kind === 'value') return valuesApart(a, b, a.field, search);
  if (a.kind === 'boolean' && b.kind === 'boolean' && a.value !== b.value) {
    return say.bothAnswers(name, search.wordFor(`${a.value}`), search.wordFor(`${b.value}`));
  }
  if (a.kind === 'boolean' && a.value === null && b.kind === 'present') {
    return say.missing(name);
  }
  const isRange = a.kind === 'range' && b.kind === 'range' && (rangesApart(a, b) || rangesApart(b, a));
  const isPeriod = a.kind === 'period' && b.kind === 'period' && (periodsApart(a, b) || periodsApart(b, a));
  return isRange || isPeriod ? say.oneValue(name) : null;
}

/** Compares two values of one field; a list can have both. */
function valuesApart(a: Of<'value'>, b: Of<'value'>, field: FormulaField, search: Search): string | null {
  const { kind, isExact } = field;
  if (kind === 'list') return null;
  const [one, other] = [a, b].map((test) => (isExact || kind === 'enum' ? test.text : search.folded(test))) as [
    string,
    string,
  ];
  const canBeBoth = one === other || (a.isPrefix && other.startsWith(one)) || (b.isPrefix && one.startsWith(other));
  if (canBeBoth) return null;
  const [first, second] = [a, b].map(({ text }) => (kind === 'enum' ? search.wordFor(text) : excerpt(text)));
  return search.say.bothValues(search.nameOf(field), first ?? '', second ?? '');
}

function rangesApart({ high }: Of<'range'>, { low }: Of<'range'>): boolean {
  if (high === null || low === null) return false;
  const [top, bottom] = [Number(high.value), Number(low.value)];
  return top < bottom || (top === bottom && !(high.isIncluded && low.isIncluded));
}

function periodsApart({ to }: Of<'period'>, { from }: Of<'period'>): boolean {
  return to !== null && from !== null && Date.parse(to) <= Date.parse(from);
}
