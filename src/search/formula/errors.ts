import { excerpt } from '../../lib/excerpt.ts';
import { maxUnits } from './limits.ts';

/** The closed list of mistakes that a formula can have. */
export const formulaErrorCodes = [
  'unexpected_char',
  'unexpected_operator',
  'expected_term',
  'expected_value',
  'expected_reference',
  'unknown_field',
  'unknown_flag',
  'bad_number',
  'bad_boolean',
  'bad_date',
  'bad_ratio',
  'bad_duration',
  'bad_enum',
  'bad_color',
  'not_ordered',
  'unsupported_wildcard',
  'negated_value',
  'reserved_word',
  'dangling_comma',
  'dangling_escape',
  'bar_in_value',
  'comparator_in_set',
  'star_in_set',
  'empty_range',
  'empty_group',
  'unclosed_quote',
  'unclosed_paren',
  'unbalanced_paren',
  'double_negation',
  'too_deep',
  'too_complex',
  'bad_similarity_operator',
  'bad_similarity_option',
  'comma_after_reference',
  'one_reference_only',
  'no_positive_reference',
  'image_reference_required',
  'unknown_reference',
  'not_watchable',
] as const;

export type FormulaErrorCode = (typeof formulaErrorCodes)[number];

/** The position of a part of a formula, in code points; the end is exclusive. */
export type Span = Readonly<{ start: number; end: number }>;

export type FormulaFault = Readonly<{
  code: FormulaErrorCode;
  span: Span;
  /** What is wrong, without the position: `Unknown field 'contry'`. */
  problem: string;
  hint: string;
  /** What could be written there instead, most likely first. */
  expected?: readonly string[];
}>;

/** A mistake in a formula: what is wrong, where, and how to fix it. */
export class FormulaError extends Error {
  readonly code: FormulaErrorCode;
  /** What is wrong; the message also says where. */
  readonly problem: string;
  /** Code points before the mistake. */
  readonly position: number;
  readonly length: number;
  readonly expected: readonly string[];
  readonly hint: string;

  constructor({ code, span, problem, hint, expected = [] }: FormulaFault) {
    // Both quote the user's text, which may be long.
    const shown = excerpt(problem);
    super(`${shown} at ${span.start}`);
    this.problem = shown;
    this.name = 'FormulaError';
    this.code = code;
    this.position = span.start;
    this.length = Math.max(0, span.end - span.start);
    this.expected = expected;
    this.hint = excerpt(hint);
  }
}

/** Stops reading a formula at its first mistake. @throws FormulaError */
export function fail(
  code: FormulaErrorCode,
  span: Span,
  problem: string,
  hint: string,
  expected: readonly string[] = [],
): never {
  throw new FormulaError({ code, span, problem, hint, expected });
}

/** One item of HTTPValidationError's `detail`, as REST and GraphQL return it. */
type FormulaProblem = Readonly<{
  loc: readonly string[];
  msg: string;
  type: string;
  input: string;
  ctx: Readonly<{ position: number; length: number; expected: readonly string[]; hint: string; pointer: string }>;
}>;

/** Returns the mistake as clients see it; a long formula is truncated. */
export function toProblem(formula: string, error: FormulaError): FormulaProblem {
  const { position, length, expected, hint } = error;
  return {
    loc: ['query', 'q'],
    msg: error.message,
    type: `formula.${error.code}`,
    input: excerpt(formula),
    ctx: { position, length, expected, hint, pointer: pointerTo(formula, error) },
  };
}

/** How much of a formula is shown around a mistake, in code points before and after its start. */
const shown = { before: 160, after: 96 } as const;

/** Returns the formula around the mistake, with the mistake underlined for a fixed-width font. */
function pointerTo(formula: string, { position, length }: FormulaError): string {
  const signs = [...formula.slice(0, maxUnits)];
  const from = position <= shown.before ? 0 : position - shown.before;
  const to = Math.min(signs.length, Math.max(from + shown.before, position) + shown.after);
  const line = signs
    .slice(from, to)
    .join('')
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ');
  const [before, after] = [from > 0 ? '… ' : '', to < signs.length ? ' …' : ''];
  const blanks = ' '.repeat(before.length + position - from);
  return `${before}${line}${after}\n${blanks}${'^'.repeat(Math.max(1, Math.min(length, to - position)))}`;
}
