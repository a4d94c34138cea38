import type { Tree } from '../ast.ts';
import { fail } from '../errors.ts';
import type { Span } from '../errors.ts';
import { formulaLimits } from '../limits.ts';
import { refuseWildcard } from './refuse.ts';
import type { Scanner } from './scanner.ts';

/** State of the parser. */
export type ParserState = {
  readonly scanner: Scanner;
  depth: number;
  terms: number;
  references: number;
  verifications: number;
};

/** Whether a comma after this part counts as white space. */
type IsBare<L> = (part: Tree<L>) => boolean;
type Spanned = { readonly span: Span };

/** or-expr = and-expr , { or-op , and-expr } */
export function readTree<L extends Spanned>(
  reading: ParserState,
  primary: () => Tree<L>,
  isBare: IsBare<L> = () => false,
): Tree<L> {
  const { scanner } = reading;
  const items = [readAnd(reading, primary, isBare)];
  while (takeOperator(scanner, 'OR')) items.push(readAnd(reading, primary, isBare));
  return combine('or', items);
}

/** "(" or-expr ")" */
export function readGroup<L extends Spanned>(
  reading: ParserState,
  primary: () => Tree<L>,
  isBare: IsBare<L> = () => false,
): Tree<L> {
  const { scanner } = reading;
  const open = scanner.ahead();
  reading.depth += 1;
  if (reading.depth > formulaLimits.depth) {
    fail('too_deep', open, `Groups more than ${formulaLimits.depth} deep`, 'Remove unnecessary parentheses.');
  }
  scanner.at += 1;
  skipBlanks(scanner);
  if (scanner.peek() === ')') {
    scanner.at += 1;
    fail('empty_group', scanner.since(open.start), 'This group is empty', 'Put a term between the parentheses.');
  }
  if (scanner.isAtEnd) refuseOpen(open);
  const inner = readTree(reading, primary, isBare);
  if (!scanner.take(')') && !(scanner.isUnfinished && scanner.isAtEnd)) refuseOpen(open);
  if (scanner.peek() === '*') refuseWildcard(scanner);
  reading.depth -= 1;
  return inner;
}

function refuseOpen(open: Span): never {
  return fail('unclosed_paren', open, "This '(' is never closed", "Add a closing ')'.", [')']);
}

/** and-expr = not-expr , { [ and-op ] , not-expr } */
function readAnd<L extends Spanned>(reading: ParserState, primary: () => Tree<L>, isBare: IsBare<L>): Tree<L> {
  const { scanner } = reading;
  const items = [readNot(reading, primary)];
  for (;;) {
    skipBlanks(scanner);
    if (scanner.peek() === ',') takeComma(scanner, isBare(items.at(-1) as Tree<L>));
    if (isEndOfAnd(scanner)) return combine('and', items);
    takeOperator(scanner, 'AND');
    items.push(readNot(reading, primary));
  }
}

function isEndOfAnd(scanner: Scanner): boolean {
  return scanner.isAtEnd || scanner.peek() === ')' || scanner.operator()?.operator === 'OR';
}

function takeComma(scanner: Scanner, isAfterBare: boolean): void {
  const comma = scanner.ahead();
  scanner.at += 1;
  skipBlanks(scanner);
  const isFollowed = !isEndOfAnd(scanner) && scanner.peek() !== ',' && scanner.operator()?.operator !== 'AND';
  if (!isAfterBare || !isFollowed) {
    const hint = 'Write the values of a field without spaces, as in country:es,fr.';
    fail('dangling_comma', comma, 'A comma with no value directly after it', hint);
  }
}

/** not-expr = [ not-op ] , primary */
function readNot<L extends Spanned>(reading: ParserState, primary: () => Tree<L>): Tree<L> {
  const { scanner } = reading;
  const before = scanner.at;
  skipBlanks(scanner);
  const start = scanner.at;
  if (!takeNot(scanner)) {
    refuseMissing(scanner, before);
    return primary();
  }
  const after = scanner.at;
  if (after === start + 1 && (scanner.isAtEnd || scanner.isSpace() || scanner.peek() === ')')) {
    const hint = 'It negates the term directly after it; write NOT where there is a space.';
    fail('unexpected_operator', scanner.since(start), `Unexpected '${scanner.text(scanner.since(start))}'`, hint);
  }
  skipBlanks(scanner);
  const second = scanner.at;
  if (takeNot(scanner)) {
    fail('double_negation', scanner.since(second), 'A second negation', 'Negate once, or not at all.');
  }
  refuseMissing(scanner, after);
  const item = primary();
  return { kind: 'not', item, span: scanner.since(start) };
}

function takeNot(scanner: Scanner): boolean {
  if (['-', '!'].includes(scanner.peek()) && scanner.peek(1) !== '=') {
    scanner.at += 1;
    return true;
  }
  return takeOperator(scanner, 'NOT');
}

/** Fails if no term starts here; `before` is the end of the text that requires one. */
function refuseMissing(scanner: Scanner, before: number): void {
  if (scanner.isAtEnd || scanner.peek() === ')') {
    const hint = 'Write a word, a field:value or a group here.';
    fail('expected_term', { start: before, end: before }, 'Expected a term', hint);
  }
  const found = scanner.operator();
  if (found === null) return;
  const hint = 'An operator goes between two terms. To search for the word, quote it.';
  fail('unexpected_operator', scanner.ahead(found.length), `Unexpected ${found.operator}`, hint);
}

function takeOperator(scanner: Scanner, operator: 'AND' | 'OR' | 'NOT'): boolean {
  const found = scanner.operator();
  if (found?.operator !== operator) return false;
  scanner.at += found.length;
  return true;
}

/** Skips white space and free-standing dashes, as in `New York - 2020`. */
function skipBlanks(scanner: Scanner): void {
  for (;;) {
    scanner.skipSpace();
    let dashes = 0;
    while (['-', '–', '—'].includes(scanner.peek(dashes))) dashes += 1;
    if (dashes === 0) return;
    const sign = scanner.peek(dashes);
    if (sign !== '' && !scanner.isSpace(dashes) && ![')', ',', '|'].includes(sign)) return;
    scanner.at += dashes;
  }
}

function combine<L extends Spanned>(kind: 'and' | 'or', items: readonly Tree<L>[]): Tree<L> {
  const [first, last] = [items[0] as Tree<L>, items.at(-1) as Tree<L>];
  return items.length === 1 ? first : { kind, items, span: { start: first.span.start, end: last.span.end } };
}
