import { findFormulaField, formulaFieldsOf } from '../../catalog/index.ts';
import type { FormulaField, FormulaKind, Resource } from '../../catalog/index.ts';
import type { Comparator, FieldTerm, FlagTerm, Leaf, Node, SavedTerm, Span, Text, Value } from './ast.ts';
import { checkValue } from './check-value.ts';
import type { Condition, Test } from './conditions.ts';
import { fail } from './errors.ts';
import { didYouMean, suggest } from './suggest.ts';
import { mapTree } from './tree.ts';
import { wordsOf } from './words.ts';

export type CheckOptions = Readonly<{
  resource: Resource;
  /** The moment that relative dates count from, milliseconds since 1970. */
  now: number;
  /** Where days begin: an IANA time zone, or null for UTC. */
  timeZone?: string | null | undefined;
  /** What a saved formula means; null where no formula is kept under the name. */
  resolveSaved?: (name: string, span: Span) => Condition | null;
}>;

const equality: readonly Comparator[] = [':', '=', '!='];
const ordering: readonly Comparator[] = ['<', '<=', '>', '>='];
const ordered: readonly FormulaKind[] = ['number', 'ratio', 'duration', 'date', 'time'];

/** The comparators that a field of a kind has. */
export function comparatorsOf(kind: FormulaKind): readonly Comparator[] {
  return ordered.includes(kind) ? [...equality, ...ordering] : equality;
}

/**
 * Gives fields and values their meaning.
 *
 * @throws FormulaError for the first term that has none.
 */
export function checkFormula(node: Node, options: CheckOptions): Condition {
  return mapTree<Leaf, Test>(node, (leaf) => checkLeaf(leaf, options));
}

/** What one term asks. @throws FormulaError */
export function checkLeaf(leaf: Leaf, options: CheckOptions): Condition {
  switch (leaf.kind) {
    case 'everything':
      return leaf;
    case 'similarity':
      return leaf;
    case 'text':
      return checkText(leaf);
    case 'field':
      return checkField(leaf, options);
    case 'flag':
      return checkFlag(leaf, options);
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
    fail('not_ordered', comparatorSpan, `${field.name} cannot be compared by ${comparator}`, hint, [...equality]);
  }
  const clock = { now: options.now, timeZone: options.timeZone ?? null };
  const how = comparator === '!=' ? '=' : comparator;
  const tests = mapTree<Value, Test>(term.value, (value) => checkValue(field, how, value, clock));
  return comparator === '!=' ? { kind: 'not', item: tests, span } : tests;
}

/** The field of a name, which stands in `text`. @throws FormulaError `unknown_field` */
function requireField(name: string, span: Span, resource: Resource, text = `${name}:…`): FormulaField {
  const field = findFormulaField(name);
  if (field?.sql[resource] !== undefined) return field;
  const known = formulaFieldsOf(resource).map((each) => each.name);
  const expected = suggest(name, known);
  const otherwise =
    field === null
      ? `To search for the text, quote it: "${text}"`
      : `${name} is a field of ${resource === 'image' ? 'videos' : 'images'}.`;
  return fail('unknown_field', span, `Unknown field '${name}'`, didYouMean(expected, otherwise), expected);
}

function checkFlag({ flag, name, nameSpan, span }: FlagTerm, { resource }: CheckOptions): Condition {
  if (flag === 'is') return checkIs(name, nameSpan, span, resource);
  const present: Test = { kind: 'present', field: requireField(name, nameSpan, resource, `${flag}:${name}`), span };
  return flag === 'has' ? present : { kind: 'not', item: present, span };
}

function checkIs(name: string, nameSpan: Span, span: Span, resource: Resource): Test {
  const own = formulaFieldsOf(resource);
  const boolean = own.find((field) => field.kind === 'boolean' && field.name === name);
  if (boolean !== undefined) return { kind: 'boolean', field: boolean, value: true, span };
  const option = own.find(({ values }) => values.includes(name));
  if (option !== undefined) return { kind: 'value', field: option, isPrefix: false, text: name, span };
  const flags = own.flatMap((field) => (field.kind === 'boolean' ? [field.name] : field.values));
  const suggestions = suggest(name, flags);
  const hint = didYouMean(suggestions, `is: takes ${flags.join(', ')}.`);
  return fail('unknown_flag', nameSpan, `Unknown flag '${name}'`, hint, suggestions.length > 0 ? suggestions : flags);
}

function checkSaved({ name, nameSpan }: SavedTerm, { resolveSaved }: CheckOptions): Condition {
  const saved = resolveSaved?.(name, nameSpan) ?? null;
  if (saved !== null) return saved;
  const hint = 'Write the name as it was saved; quote a name with spaces.';
  return fail('unknown_reference', nameSpan, `No formula is saved as '${name}'`, hint);
}
