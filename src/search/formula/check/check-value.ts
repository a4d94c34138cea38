import { colorFamilies, colorShades, familyOfShade, findColor } from '../../../catalog/index.ts';
import type { FormulaField, FormulaKind } from '../../../catalog/index.ts';
import type { Bound, Comparator, RangeValue, Span, TextValue, Value } from '../ast.ts';
import type { Condition, NumberBound, Test } from '../conditions.ts';
import { parseDate, toMoment, wholeDays } from './dates.ts';
import type { Clock, Period } from './dates.ts';
import { fail } from '../errors.ts';
import type { FormulaErrorCode } from '../errors.ts';
import { parseBoolean, parseDuration, parseNumber, parseRatio } from './literals.ts';
import { nameOfColor } from '../../../analysis/index.ts';
import { didYouMean, suggest } from '../../../lib/suggest.ts';
import { wordsOf } from '../words.ts';

/** A value, the field to compare it with, and how. */
type Given = Readonly<{
  field: FormulaField;
  comparator: Exclude<Comparator, '!='>;
  text: string;
  span: Span;
  clock: Clock;
}>;

/** Returns the condition of one value of a field term. @throws FormulaError */
export function checkValue(
  field: FormulaField,
  comparator: Exclude<Comparator, '!='>,
  value: Value,
  clock: Clock,
): Condition {
  const { span } = value;
  const isOrdering = comparator !== ':' && comparator !== '=';
  if (value.kind === 'star') {
    if (!isOrdering) return { kind: 'present', field, span };
    const hint = `${field.name}:* matches any value.`;
    return fail('expected_value', { start: span.start, end: span.start }, `Expected a value after ${comparator}`, hint);
  }
  if (value.kind === 'range') {
    if (!isOrdering) return checkRange(field, value, clock);
    return fail(
      'comparator_in_set',
      span,
      `${comparator} takes one value, not a range`,
      `Write ${field.name}:low..high.`,
    );
  }
  refuseNegation(field, value);
  if (value.form === 'prefix' && !['text', 'keyword', 'list'].includes(field.kind)) {
    const star = { start: span.end - 1, end: span.end };
    fail(
      'unsupported_wildcard',
      star,
      `${field.name} cannot be searched by prefix`,
      `Write a range, as in ${field.name}:low..high.`,
    );
  }
  return checks[field.kind]({ field, comparator, text: value.text, span, clock }, value);
}

/** `keywords:-dog` is ambiguous: it could exclude the value or search for it. */
function refuseNegation({ name, kind }: FormulaField, { text, form, isEscaped, span }: TextValue): void {
  if (form === 'phrase' || isEscaped || !/^[-!]/.test(text)) return;
  const isNumeric = kind === 'number' || kind === 'date' || kind === 'time';
  if (isNumeric && /^-[\d.]/.test(text)) return;
  const hint = `To exclude it, write -${name}:${text.slice(1) || 'value'}; to search for the character, quote it.`;
  fail('negated_value', span, `A negation inside the value of ${name}`, hint);
}

const checks: Readonly<Record<FormulaKind, (given: Given, value: TextValue) => Condition>> = {
  text: (given, value) => (given.comparator === ':' ? checkWords(given, value) : checkWhole(given, value)),
  keyword: checkWhole,
  list: checkWhole,
  enum: checkEnum,
  boolean: checkBoolean,
  number: (given) => compare(given, readNumber(given.field, given)),
  duration: (given) => {
    const seconds = readDuration(given.field, given);
    return given.comparator === ':' || given.comparator === '='
      ? between(given, seconds - 0.5, seconds + 0.5)
      : compare(given, String(seconds));
  },
  ratio: (given) => {
    const ratio = readRatio(given.field, given);
    return given.comparator === ':' || given.comparator === '='
      ? between(given, ratio * 0.99, ratio * 1.01)
      : compare(given, String(ratio));
  },
  date: checkDate,
  time: checkDate,
  color: checkColor,
};

function checkWords({ field, text, span }: Given, { form }: TextValue): Test {
  const words = wordsOf(text);
  if (words.length > 0) return { kind: 'words', field, form, words, span };
  const hint = `A word has letters or digits; for the exact value write ${field.name}="…".`;
  return fail('expected_value', span, `Nothing to look for in '${text}'`, hint);
}

function checkWhole({ field, comparator, text, span }: Given, { form }: TextValue): Test {
  if (field.name === 'text') {
    fail('unexpected_char', span, `text cannot be compared with ${comparator}`, 'Write text:word, or name one field.', [
      ':',
    ]);
  }
  if (text === '') fail('expected_value', span, 'An empty value', `For a missing value write no:${field.name}.`);
  return { kind: 'value', field, isPrefix: form === 'prefix', text, span };
}

function checkEnum({ field, text, span }: Given): Test {
  const value = text.toLowerCase();
  if (field.values.includes(value)) return { kind: 'value', field, isPrefix: false, text: value, span };
  const hint = `${field.name} is one of ${field.values.join(', ')}.`;
  return refuse(
    'bad_enum',
    { field, text, span },
    'one of its values',
    hint,
    suggest(value, field.values),
    field.values,
  );
}

function checkBoolean({ field, text, span }: Given): Test {
  const value = parseBoolean(text);
  if (value !== undefined) return { kind: 'boolean', field, value, span };
  return refuse(
    'bad_boolean',
    { field, text, span },
    'true, false or null',
    'Write true, false, or null for unknown.',
    ['true', 'false', 'null'],
  );
}

function checkColor({ field, text, span }: Given): Test {
  const [, color = '', share] = /^([^@]*)(?:@(\d{1,3}(?:\.\d{1,9})?)%?)?$/.exec(text) ?? [];
  const asked = /^[0-9a-f]{6}$/i.test(color) ? familyOfShade(nameOfColor(color)) : findColor(color);
  const percent = Number(share ?? 0);
  if (asked !== null && percent <= 100) return { kind: 'color', field, ...asked, percent, span };
  const known = suggest(color.toLowerCase(), [...new Set([...colorFamilies, ...colorShades])]);
  const [what, hint] =
    asked === null
      ? ['a color', didYouMean(known, `Colors: ${colorFamilies.join(', ')}, a shade of CSS, or six hex digits.`)]
      : ['a percentage from 0 to 100', 'Write the minimum percentage after the color: color:navy@30.'];
  return refuse('bad_color', { field, text, span }, what, hint, asked === null ? known : [], colorFamilies);
}

function checkDate({ field, comparator, text, span, clock }: Given): Test {
  const { start, end } = readDate(field, { text, span }, clock);
  const [from, to] = {
    ':': [start, end],
    '=': [start, end],
    '<': [null, start],
    '<=': [null, end],
    '>': [end, null],
    '>=': [start, null],
  }[comparator] as [number | null, number | null];
  return period(field, from, to, span);
}

function checkRange(field: FormulaField, range: RangeValue, clock: Clock): Test {
  const { low, high, span } = range;
  if (field.kind === 'date' || field.kind === 'time') return checkPeriod(field, range, clock);
  const read = { number: readNumber, ratio: readRatio, duration: readDuration }[field.kind as string];
  if (read === undefined) {
    const hint = `${field.name} has no order; quote a value that contains two dots.`;
    return fail('not_ordered', span, `${field.name} takes no range`, hint);
  }
  const bound = (given: Bound | null): NumberBound | null =>
    given && { value: String(read(field, given)), isIncluded: true };
  const [from, to] = [bound(low), bound(high)];
  if (from !== null && to !== null && Number(from.value) > Number(to.value)) refuseEmpty(span);
  return { kind: 'range', field, low: from, high: to, span };
}

function period(field: FormulaField, from: number | null, to: number | null, span: Span): Test {
  const momentOf = (time: number | null) => (time === null ? null : toMoment(time));
  return { kind: 'period', field, from: momentOf(from), to: momentOf(to), span };
}

function checkPeriod(field: FormulaField, { low, high, span }: RangeValue, clock: Clock): Test {
  const from = low && readDate(field, low, clock).start;
  const to = high && readDate(field, high, clock).end;
  if (from !== null && to !== null && from >= to) refuseEmpty(span);
  return period(field, from, to, span);
}

function refuseEmpty(span: Span): never {
  return fail('empty_range', span, 'The end of the range is before its start', 'Write the lower bound first.');
}

function compare({ field, comparator, span }: Given, value: string): Test {
  const bound = { value, isIncluded: comparator !== '<' && comparator !== '>' };
  const low = comparator.startsWith('<') ? null : bound;
  const high = comparator.startsWith('>') ? null : bound;
  return { kind: 'range', field, low, high, span };
}

function between({ field, span }: Given, low: number, high: number): Test {
  const bound = (value: number): NumberBound => ({ value: String(value), isIncluded: true });
  return { kind: 'range', field, low: bound(low), high: bound(high), span };
}

function readNumber(field: FormulaField, { text, span }: Bound): string {
  const hint = 'Write digits, with a point before decimals: 1920 or 29.97.';
  return parseNumber(text) ?? refuse('bad_number', { field, text, span }, 'a number', hint, ['number']);
}

function readRatio(field: FormulaField, { text, span }: Bound): number {
  return (
    parseRatio(text) ?? refuse('bad_ratio', { field, text, span }, 'a ratio', 'Write 16:9, 16x9 or 1.78.', ['16:9'])
  );
}

function readDuration(field: FormulaField, { text, span }: Bound): number {
  const hint = 'Write seconds, or hours, minutes and seconds: 90, 90s, 1h30m.';
  return parseDuration(text) ?? refuse('bad_duration', { field, text, span }, 'a duration', hint, ['1m30s']);
}

function readDate(field: FormulaField, { text, span }: Bound, clock: Clock): Period {
  const as = field.kind === 'date' ? 'local' : 'moments';
  const hint = 'Write 2024, 2024-05, 2024-05-31, 2024-05-31T10:30, -30d, or a word such as today or lastweek.';
  const period =
    parseDate(text, clock, as) ?? refuse('bad_date', { field, text, span }, 'a date', hint, ['YYYY-MM-DD']);
  return field.kind === 'date' ? wholeDays(period) : period;
}

function refuse(
  code: FormulaErrorCode,
  { field, text, span }: Readonly<{ field: FormulaField; text: string; span: Span }>,
  what: string,
  hint: string,
  expected: readonly string[],
  otherwise: readonly string[] = [],
): never {
  return fail(
    code,
    span,
    `${field.name} takes ${what}, not '${text}'`,
    hint,
    expected.length > 0 ? expected : otherwise,
  );
}
