import type {
  CollectionTerm,
  Comparator,
  FieldTerm,
  FlagTerm,
  Leaf,
  SavedTerm,
  Tree,
  Value,
  ValueNode,
} from '../ast.ts';
import { fail } from '../errors.ts';
import type { Span } from '../errors.ts';
import { flagOperators, isFlagOperator } from './flag-operators.ts';
import type { FlagOperator } from './flag-operators.ts';
import { formulaLimits } from '../limits.ts';
import { readGroup } from './parse-tree.ts';
import type { ParserState } from './parse-tree.ts';
import { readValue } from './parse-value.ts';
import { unexpected } from './refuse.ts';
import type { Scanner } from './scanner.ts';

const comparators = ['!=', '<=', '>=', '<', '>', '='] as const;

type Comparison = Readonly<{ comparator: Comparator; span: Span }>;

/** field-term | flag-term | saved-term: a name of `length` characters, then a comparison. */
export function readFieldTerm(reading: ParserState, length: number): Leaf {
  const { scanner } = reading;
  const fieldSpan = scanner.ahead(length);
  const field = scanner.text(fieldSpan).toLowerCase();
  scanner.at += length;
  const comparison = readComparator(scanner);
  const isPlain = scanner.text(comparison.span) === ':';
  scanner.skipSpace();
  if (isPlain && isFlagOperator(field)) return readFlag(scanner, field, fieldSpan);
  if (isPlain && isNamed(field)) return readNamed(scanner, field, fieldSpan);
  const { comparator, span: comparatorSpan } = comparison;
  const value =
    scanner.peek() === '('
      ? readValueGroup(reading, comparison)
      : readValueSet(scanner, comparison, comparatorSpan.end);
  if (scanner.peek() === ':') refuseColon(scanner);
  refuseBar(scanner, field);
  const span = scanner.since(fieldSpan.start);
  return { kind: 'field', field, fieldSpan, comparator, comparatorSpan, value, span } satisfies FieldTerm;
}

function readComparator(scanner: Scanner): Comparison {
  const start = scanner.at;
  const hasColon = scanner.take(':');
  const found = hasColon ? comparators.slice(1, 5) : comparators;
  const comparator = found.find((each) => scanner.take(each)) ?? ':';
  const isDone = ![':', '=', '<', '>', '~'].includes(scanner.peek()) && !scanner.startsWith('!=');
  return isDone ? { comparator, span: scanner.since(start) } : unexpected(scanner);
}

/** "(" or-expr over value-sets ")" */
function readValueGroup(reading: ParserState, comparison: Comparison): ValueNode {
  const { scanner } = reading;
  if (!isEquality(comparison)) {
    const problem = `${comparison.comparator} takes one value, not a group`;
    fail('comparator_in_set', scanner.ahead(), problem, 'Write a range, as in width:800..1200.');
  }
  const primary = (): Tree<Value> => {
    if (scanner.peek() === '(') return readGroup(reading, primary);
    reading.terms += 1;
    if (reading.terms > formulaLimits.terms) {
      const hint = 'Put alternatives together: field:a,b,c is one term.';
      fail('too_complex', scanner.ahead(), `More than ${formulaLimits.terms} terms`, hint);
    }
    const values = readValueSet(scanner, comparison, scanner.at);
    if ([':', '=', '<', '>', '~'].includes(scanner.peek())) {
      const hint = 'A group after a field contains only values; close it before the next field.';
      fail('unexpected_char', scanner.ahead(), `Unexpected '${scanner.peek()}'`, hint);
    }
    return values;
  };
  return readGroup(reading, primary);
}

function isEquality({ comparator }: Comparison): boolean {
  return comparator === ':' || comparator === '=' || comparator === '!=';
}

/** value-set = value , { "," , value }; `before` is the end of the text that requires a value. */
function readValueSet(scanner: Scanner, comparison: Comparison, before: number): ValueNode {
  const { start } = scanner.ahead();
  const values = [readValue(scanner, before)];
  while (scanner.peek() === ',') {
    const comma = scanner.ahead();
    if (!isEquality(comparison)) {
      const problem = `${comparison.comparator} takes one value, not a set`;
      fail('comparator_in_set', comma, problem, 'For two bounds write a range, as in width:1920..3000.');
    }
    scanner.at += 1;
    if (['<', '>', '='].includes(scanner.peek()) || scanner.startsWith('!=')) {
      fail('comparator_in_set', scanner.ahead(), 'A comparison inside a set', 'Write a range, as in width:..3000.');
    }
    if (scanner.isAtEnd || scanner.isSpace() || [')', ',', '|'].includes(scanner.peek())) {
      const hint = 'Write the next value directly after the comma: country:es,fr.';
      fail('dangling_comma', comma, 'A comma with no value directly after it', hint);
    }
    values.push(readValue(scanner, comma.end));
    if (values.length > formulaLimits.valuesPerSet) {
      const last = values.at(-1)?.span ?? comma;
      fail('too_complex', last, `More than ${formulaLimits.valuesPerSet} values in a set`, 'Split the set by OR.');
    }
  }
  const [first] = values;
  if (values.length === 1 && first !== undefined) return first;
  const star = values.find(({ kind }) => kind === 'star');
  if (star !== undefined) {
    const hint = 'field:* matches every value; remove the others.';
    fail('star_in_set', star.span, "A '*' among other values", hint);
  }
  return { kind: 'or', items: values, span: scanner.since(start) };
}

function refuseColon(scanner: Scanner): never {
  const hint = 'Quote a value that contains a colon: src:"https://…".';
  return fail('unexpected_char', scanner.ahead(), "Unexpected ':'", hint);
}

/** `field:a|b` is ambiguous: two values, or an OR of two terms. */
function refuseBar(scanner: Scanner, field: string): void {
  const { at } = scanner;
  const bars = scanner.operator();
  if (scanner.peek() !== '|' || bars === null) return;
  scanner.at += bars.length;
  const isWord = scanner.isWordSign() || scanner.isQuote() || scanner.peek() === '*';
  if (['-', '!'].includes(scanner.peek())) scanner.at += 1;
  const name = scanner.fieldLength();
  const isTerm = name > 0 && [':', '=', '<', '>', '~', '!'].includes(scanner.peek(name));
  scanner.at = at;
  if (!isWord || isTerm) return;
  const hint = `For either value write ${field}:a,b; for an OR of two terms put spaces around the bar.`;
  fail('bar_in_value', scanner.ahead(bars.length), 'A bar between a value and a word', hint, [',']);
}

function readFlag(scanner: Scanner, flag: FlagOperator, flagSpan: Span): FlagTerm {
  const before = flagSpan.end + 1;
  const { text, span } = scanner.word();
  if (text === '') {
    const hint = `Write ${flagOperators[flag].example}.`;
    fail('expected_value', { start: before, end: before }, `Expected a name after ${flag}:`, hint);
  }
  if (scanner.peek() === '*' || scanner.peek() === ':') unexpected(scanner);
  refuseFlagSet(scanner, flag);
  return { kind: 'flag', flag, name: text.toLowerCase(), nameSpan: span, span: scanner.since(flagSpan.start) };
}

function refuseFlagSet(scanner: Scanner, flag: string): void {
  if (scanner.peek() !== ',') return;
  const hint = `${flag}: takes one name; write (${flag}:a OR ${flag}:b).`;
  fail('dangling_comma', scanner.ahead(), `A comma after ${flag}:`, hint);
}

/** Terms that refer to something of the tenant by name, and what to write after each. */
const named = {
  saved: 'the name of a saved formula: saved:"Covers of May"',
  collection: 'the name of a collection: collection:"Covers of May"',
} as const;

function isNamed(field: string): field is keyof typeof named {
  return Object.hasOwn(named, field);
}

function readNamed(scanner: Scanner, kind: keyof typeof named, nameSpan: Span): SavedTerm | CollectionTerm {
  const before = nameSpan.end + 1;
  const { text, span } = scanner.isQuote() ? scanner.phrase() : scanner.word();
  if (text !== '') return { kind, name: text, nameSpan: span, span: scanner.since(nameSpan.start) };
  const hint = `Write ${named[kind]}.`;
  return fail('expected_value', { start: before, end: before }, `Expected a name after ${kind}:`, hint);
}
