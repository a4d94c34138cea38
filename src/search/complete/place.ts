import type { FieldTerm, Leaf, Span, Value } from '../formula/ast.ts';
import type { FlagOperator } from '../formula/parse/flag-operators.ts';
import { FormulaError } from '../formula/index.ts';
import { parseFormula } from '../formula/parse/parser.ts';
import { leavesOf } from '../formula/tree.ts';

/**
 * What is at the cursor of an unfinished formula. Found by parsing the formula as if one more letter had been typed.
 */
export type Place =
  /** A word, a field name or an operator; `part` is what has been typed of it. */
  | Readonly<{ kind: 'term'; part: string; span: Span }>
  | Readonly<{ kind: 'value'; term: FieldTerm; part: string; isQuoted: boolean; span: Span }>
  | Readonly<{ kind: 'flag'; flag: FlagOperator; part: string; span: Span }>
  | Readonly<{ kind: 'saved' | 'collection'; part: string; isQuoted: boolean; span: Span }>
  | Readonly<{ kind: 'reference'; part: string; span: Span }>;

/** A letter that hardly any formula contains; only its position is used. */
const letter = 'ꙮ';

/** Returns what is at the cursor; null if nothing can be inserted there, as after a syntax error. */
export function placeAt(text: string, position: number): Place | null {
  const before = [...text].slice(0, position).join('');
  const leaf = leavesIn(before + letter)?.find(({ span }) => span.start <= position && position < span.end);
  const upTo = (start: number): { part: string; span: Span } => ({
    part: [...text].slice(start, position).join(''),
    span: { start, end: position },
  });
  switch (leaf?.kind) {
    case 'text':
      return leaf.form === 'phrase' ? null : { kind: 'term', ...upTo(leaf.span.start) };
    case 'field':
      return valueAt(leaf, position, upTo);
    case 'flag':
      return { kind: 'flag', flag: leaf.flag, ...upTo(leaf.nameSpan.start) };
    case 'saved':
    case 'collection':
      return { kind: leaf.kind, isQuoted: isQuote(text, leaf.nameSpan.start), ...upTo(leaf.nameSpan.start) };
    case 'similarity':
      return { kind: 'reference', ...upTo(leaf.references.at(-1)?.span.start ?? leaf.span.start) };
    default:
      return null;
  }

  function isQuote(all: string, at: number): boolean {
    return ['"', '“', '”'].includes([...all][at] ?? '');
  }

  function valueAt(term: FieldTerm, at: number, partFrom: typeof upTo): Place | null {
    const value = leavesOf<Value>(term.value).find(({ span }) => span.start <= at && at < span.end);
    if (value === undefined) return null;
    const bounds = value.kind === 'range' ? [value.low, value.high] : [];
    const start = bounds.find((bound) => bound !== null && bound.span.start <= at && at < bound.span.end)?.span.start;
    return { kind: 'value', term, isQuoted: isQuote(text, value.span.start), ...partFrom(start ?? value.span.start) };
  }
}

/** Returns the terms of an unfinished formula; null if it has a syntax error. */
function leavesIn(text: string): Leaf[] | null {
  const leaves: Leaf[] = [];
  try {
    parseFormula(text, leaves, { isUnfinished: true });
    return leaves;
  } catch (error) {
    if (error instanceof FormulaError) return null;
    throw error;
  }
}

/** Returns the operators and parentheses that can follow the text before a place. */
export function followersOf(text: string, { span }: Place): string[] {
  const before = [...text].slice(0, span.start).join('');
  const joins = ['AND ', 'OR ', 'NOT ', '('].filter((sign) => leavesIn(before + sign + letter) !== null);
  return isOpen(before + letter) ? [...joins, ')'] : joins;
}

function isOpen(text: string): boolean {
  try {
    parseFormula(text);
    return false;
  } catch (error) {
    if (error instanceof FormulaError) return error.code === 'unclosed_paren';
    throw error;
  }
}
