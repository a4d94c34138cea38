import type { formulaFields } from './generated/tables.ts';

/** A field that formulas know. */
export type FormulaField = (typeof formulaFields)[number];
/** A value of a field. Dates are points in time; days, months and years are strings such as `2024-05`. */
export type FormulaValue = string | number | boolean | Date;
/** A picture: an id, a hash of a query image (`qh_…`), or an object that says which. */
export type PictureReference =
  string | Readonly<{ id: string } | { hash: string } | { url: string } | { text: string }>;
export type SimilarOptions = Readonly<{
  /** The minimum similarity, 0 to 1. */
  minScore?: number;
  /** A part of the picture, in percent: left, top, width, height. */
  box?: readonly [number, number, number, number];
}>;

/** A formula, or a part of one. Its text is what the service reads. */
export class Formula {
  readonly #text: string;
  /** Whether it needs no parentheses next to operators. */
  readonly isTerm: boolean;

  constructor(text: string, isTerm: boolean) {
    this.#text = text;
    this.isTerm = isTerm;
  }

  toString(): string {
    return this.#text;
  }
}

const term = (text: string) => new Formula(text, true);
const inGroup = (part: Formula) => (part.isTerm ? String(part) : `(${part})`);

function joined(operator: 'AND' | 'OR', parts: readonly Formula[]): Formula {
  const [first] = parts;
  if (first === undefined) throw new RangeError(`${operator} of nothing`);
  return parts.length === 1 ? first : new Formula(parts.map(inGroup).join(` ${operator} `), false);
}

/** @throws RangeError for characters that no text of the catalog contains. */
function quoted(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is refused
  if (text === '' || /[^\P{Cc}\s]|\p{Cs}/u.test(text))
    throw new RangeError(`No formula has the value ${JSON.stringify(text)}`);
  return `"${text.replaceAll(/["“”\\]/g, '\\$&')}"`;
}

function name(text: string): string {
  if (!/^\p{L}[\p{L}\p{Nd}_.]*$/u.test(text)) throw new RangeError(`${JSON.stringify(text)} is no name`);
  return text;
}

function decimal(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`No formula has the number ${value}`);
  const text = String(value);
  if (!text.includes('e')) return text;
  return Number.isInteger(value) ? String(BigInt(value)) : value.toFixed(20).replace(/\.?0+$/, '');
}

function written(value: FormulaValue): string {
  if (typeof value === 'string') return quoted(value);
  return value instanceof Date ? value.toISOString() : typeof value === 'number' ? decimal(value) : String(value);
}

/** One end of a range, which cannot be quoted. */
function bound(value: FormulaValue | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return written(value);
  const isPlain = /^[-+]?[\p{L}\p{Nd}][\p{L}\p{Nd}:.+-]*$/u.test(value) && !/\.\.|\.$/.test(value);
  if (!isPlain) throw new RangeError(`${JSON.stringify(value)} is no end of a range`);
  return value;
}

const compare = (comparator: string) => (field: FormulaField, value: FormulaValue) =>
  term(`${name(field)}${comparator}${written(value)}`);

function list(values: readonly FormulaValue[], between: string): string {
  if (values.length === 0) throw new RangeError('A list of no values');
  return values.map(written).join(between);
}

/** Escapes everything that is not clearly part of a word. */
function escaped(word: string): string {
  quoted(word);
  if (['AND', 'OR', 'NOT'].includes(word)) return `\\${word}`;
  return word.replaceAll(/[^\p{L}\p{N}_]/gu, '\\$&');
}

function reference(picture: PictureReference): string {
  const [scheme, value] =
    typeof picture === 'string'
      ? [picture.startsWith('qh_') ? 'hash' : 'id', picture]
      : (Object.entries(picture)[0] as [string, string]);
  return `${name(scheme)}:${quoted(value)}`;
}

function similar(operator: string, picture: PictureReference, { minScore, box }: SimilarOptions = {}): Formula {
  const parts = box?.map((part) => decimal(part)).join(',');
  const least = minScore === undefined ? '' : `@${decimal(minScore)}`;
  return term(`i${operator}${reference(picture)}${parts === undefined ? '' : `@box:${parts}`}${least}`);
}

const similarity = { theme: '~', subject: '~~', scene: '~~~' } as const;
const copies = { edited: '=', same: '==', exact: '===' } as const;

/** Builds formulas. Every value is escaped; a value that no formula can contain is a RangeError. */
export const f = {
  and: (...parts: Formula[]) => joined('AND', parts),
  or: (...parts: Formula[]) => joined('OR', parts),
  not: (part: Formula) => new Formula(`NOT ${inGroup(part)}`, false),
  /** Every record. */
  all: () => term('*'),
  /** All of these words, in any form. */
  words: (text: string) =>
    joined(
      'AND',
      text
        .split(/\s+/u)
        .filter(Boolean)
        .map((word) => term(escaped(word))),
    ),
  /** These words in this order. */
  phrase: (text: string) => term(quoted(text)),
  /** Words with this prefix. */
  prefix: (text: string) => term(`${escaped(text)}*`),
  /** The whole value. */
  eq: compare('='),
  ne: compare('!='),
  /** Like `field:value`: words of a text, the whole value of a keyword, or a period of a date. */
  matches: compare(':'),
  lt: compare('<'),
  lte: compare('<='),
  gt: compare('>'),
  gte: compare('>='),
  /** From low to high, inclusive; null leaves an end open. */
  between: (field: FormulaField, low: FormulaValue | null, high: FormulaValue | null) => {
    if (low === null && high === null) throw new RangeError('A range without an end');
    return term(`${name(field)}:${bound(low)}..${bound(high)}`);
  },
  /** One of the values. */
  anyOf: (field: FormulaField, values: readonly FormulaValue[]) => term(`${name(field)}:${list(values, ',')}`),
  /** All of the values, for lists. */
  allOf: (field: FormulaField, values: readonly string[]) => term(`${name(field)}:(${list(values, ' AND ')})`),
  has: (field: FormulaField | 'lock') => term(`has:${name(field)}`),
  missing: (field: FormulaField) => term(`no:${name(field)}`),
  /** A flag: `landscape`, `nsfw`. */
  is: (flag: string) => term(`is:${name(flag)}`),
  saved: (formula: string) => term(`saved:${quoted(formula)}`),
  /** Similar pictures: of the same theme, of the same subject, or of the same scene. */
  similarTo: (picture: PictureReference, options: SimilarOptions & { by?: keyof typeof similarity } = {}) =>
    similar(similarity[options.by ?? 'theme'], picture, options),
  /** Copies of a picture: also edited ones, the same picture in other files, or the exact file. */
  copyOf: (picture: PictureReference, options: SimilarOptions & { tier?: keyof typeof copies } = {}) =>
    similar(copies[options.tier ?? 'edited'], picture, options),
  /** A formula written by someone else, as a single part. */
  raw: (text: string) => new Formula(text, false),
} as const;
