import type { FormulaKind, Resource } from '../../../catalog/index.ts';
import type { Comparator, FieldTerm, Leaf, Node, SavedTerm, Span, Text, Value } from '../ast.ts';
import { checkFlag } from './check-flag.ts';
import { checkValue } from './check-value.ts';
import type { Condition, Test } from '../conditions.ts';
import { fail } from '../errors.ts';
import { requireField } from './require-field.ts';
import { mapTree } from '../tree.ts';
import { wordsOf } from '../words.ts';

export type CheckOptions = Readonly<{
  resource: Resource;
  /** The moment that relative dates refer to, in milliseconds since 1970. */
  now: number;
  /** Time zone in which days begin (IANA), or null for UTC. */
  timeZone?: string | null | undefined;
  /** Returns the condition of a saved formula; null if no formula has this name. */
  resolveSaved?: (name: string, span: Span) => Condition | null;
}>;

const equality: readonly Comparator[] = [':', '=', '!='];
const ordering: readonly Comparator[] = ['<', '<=', '>', '>='];
const ordered: readonly FormulaKind[] = ['number', 'ratio', 'duration', 'date', 'time'];

/** Returns the comparators that a kind of field supports. */
export function comparatorsOf(kind: FormulaKind): readonly Comparator[] {
  return ordered.includes(kind) ? [...equality, ...ordering] : equality;
}

/**
 * Resolves fields and values.
 *
 * @throws FormulaError for the first term that is invalid.
 */
export function checkFormula(node: Node, options: CheckOptions): Condition {
  return mapTree<Leaf, Test>(node, (leaf) => checkLeaf(leaf, options));
}

/** Returns the condition of one term. @throws FormulaError */
export function checkLeaf(leaf: Leaf, options: CheckOptions): Condition {
  switch (leaf.kind) {
    case 'everything':
    case 'similarity':
    case 'collection':
      return leaf;
    case 'text':
      return checkText(leaf);
    case 'field':
      return checkField(leaf, options);
    case 'flag':
      return checkFlag(leaf, options.resource);
    case 'saved':
      return checkSaved(leaf, options);
    default:
      return leaf satisfies never;
  }
}

function checkText({ text, form, span }: Text): Test {
  const words = wordsOf(text);
  if (words.length === 0) {
    const hint = 'A word has letters or digits; use field:value for other values.';
    fail('expected_term', span, `Nothing to look for in '${text}'`, hint);
  }
  return { kind: 'words', field: requireField('text', span, 'image'), form, words, span };
}

function checkField(term: FieldTerm, options: CheckOptions): Condition {
  const { comparator, comparatorSpan, span } = term;
  const field = requireField(term.field, term.fieldSpan, options.resource);
  if (!comparatorsOf(field.kind).includes(comparator)) {
    const hint = `${field.name} has no order: use ${field.name}:value, = or !=.`;
    fail('not_ordered', comparatorSpan, `${field.name} cannot be compared with ${comparator}`, hint, [...equality]);
  }
  const clock = { now: options.now, timeZone: options.timeZone ?? null };
  const how = comparator === '!=' ? '=' : comparator;
  const tests = mapTree<Value, Test>(term.value, (value) => checkValue(field, how, value, clock));
  return comparator === '!=' ? { kind: 'not', item: tests, span } : tests;
}

function checkSaved({ name, nameSpan }: SavedTerm, { resolveSaved }: CheckOptions): Condition {
  const saved = resolveSaved?.(name, nameSpan) ?? null;
  if (saved !== null) return saved;
  const hint = 'Write the name as it was saved; quote a name with spaces.';
  return fail('unknown_reference', nameSpan, `No formula is saved as '${name}'`, hint);
}
