import type { Problem } from './problems.ts';
import type { Field, ValueType } from './types.ts';

/** A value that was read, or why it could not be. */
export type Reading = Readonly<{ value: unknown }> | Readonly<{ problems: readonly Problem[] }>;

/** A file of a form, in memory. */
export class UploadedFile {
  readonly name: string;
  readonly bytes: Buffer;

  constructor(name: string, bytes: Buffer) {
    this.name = name;
    this.bytes = bytes;
  }

  /** What a complaint quotes of it. */
  toJSON(): unknown {
    return { filename: this.name, size: this.bytes.length };
  }
}

/** Reads a value found at `loc`. */
export type Reader = (input: unknown, loc: readonly string[]) => Reading;

/**
 * The rules are those of pydantic's lax mode, which the contract records: which strings are
 * booleans, which are integers, and the words of each complaint.
 */
const trueWords = ['1', 'true', 't', 'yes', 'y', 'on'];
const falseWords = ['0', 'false', 'f', 'no', 'n', 'off'];
const maxDigits = 4300;
/** A plain number that is too long is told apart; one that is written otherwise is just no integer. */
const tooManyDigits = new RegExp(`^-?[1-9]\\d{${maxDigits}}`);
/** Unicode's white space; `\s` leaves out U+0085 and takes the byte order mark. */
const blanksAround = /^(?:(?!\uFEFF)[\s\u0085])+|(?:(?!\uFEFF)[\s\u0085])+$/g;
const int64 = 2n ** 63n;

function problem(type: string, msg: string, input: unknown, loc: readonly string[], ctx?: Problem['ctx']): Reading {
  return { problems: [{ type, loc, msg, input, ...(ctx && { ctx }) }] };
}

const readBoolean: Reader = (input, loc) => {
  if (typeof input === 'boolean') return { value: input };
  if (input === 1 || input === 0) return { value: input === 1 };
  const word = typeof input === 'string' ? input.toLowerCase() : '';
  if (trueWords.includes(word)) return { value: true };
  if (falseWords.includes(word)) return { value: false };
  const whole = typeof input === 'number' && Number.isInteger(input) ? BigInt(input) : input;
  const isWhole = typeof whole === 'bigint' && whole < int64 && whole >= -int64;
  return typeof input === 'string' || isWhole
    ? problem('bool_parsing', 'Input should be a valid boolean, unable to interpret input', input, loc)
    : problem('bool_type', 'Input should be a valid boolean', input, loc);
};

/** Digits with single underscores between them; zeros may stand before, and as decimals behind. */
function isInteger(text: string): boolean {
  // Among zeros at the beginning underscores may stand as they like: 0__1 is 1, and 1__0 is no integer.
  const digits = text.replace(/^([+-]?)0[0_]*(?=\d)/, '$1');
  if (!/^[+-]?\d+(?:_\d+)*(?:\.0+)?$/.test(digits)) return false;
  return text.length <= maxDigits || text.replace(/\.0+$/, '').replace(/^\D*[0_]+|\D/g, '').length <= maxDigits;
}

/** Reads an integer from a text of the path or the query. Beyond 2^53 the value is inexact. */
function readInteger(bounds: Readonly<{ ge?: number; le?: number }> = {}): Reader {
  return (input, loc) => {
    const text = String(input).replaceAll(blanksAround, '');
    if (tooManyDigits.test(String(input))) {
      const msg = 'Unable to parse input string as an integer, exceeded maximum size';
      return problem('int_parsing_size', msg, input, loc);
    }
    if (!isInteger(text)) {
      const msg = 'Input should be a valid integer, unable to parse string as an integer';
      return problem('int_parsing', msg, input, loc);
    }
    const value = Number(text.replaceAll('_', ''));
    const { ge, le } = bounds;
    if (ge !== undefined && value < ge) {
      return problem('greater_than_equal', `Input should be greater than or equal to ${ge}`, input, loc, { ge });
    }
    if (le !== undefined && value > le) {
      return problem('less_than_equal', `Input should be less than or equal to ${le}`, input, loc, { le });
    }
    return { value };
  };
}

const readString: Reader = (input, loc) =>
  typeof input === 'string' ? { value: input } : problem('string_type', 'Input should be a valid string', input, loc);

function readEnum(values: readonly string[], also: readonly string[] = []): Reader {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.at(-1) ?? '';
  const expected = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${last}` : last;
  return (input, loc) =>
    typeof input === 'string' && (values.includes(input) || also.includes(input))
      ? { value: input }
      : problem('enum', `Input should be ${expected}`, input, loc, { expected });
}

const readFile: Reader = (input, loc) =>
  input instanceof UploadedFile
    ? { value: input }
    : problem('value_error', "Value error, Expected UploadFile, received: <class 'str'>", input, loc, { error: {} });

/** Reads an RFC 3339 moment, or a day, which begins at midnight UTC. */
const readTime: Reader = (input, loc) => {
  const text = String(input);
  const isTime = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i.test(text);
  const date = new Date(/[T ]/i.test(text) && !/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? `${text}Z` : text);
  return isTime && date.getUTCFullYear() > 0 // False for an invalid date; there is no year 0.
    ? { value: date.toISOString() }
    : problem('datetime_parsing', 'Input should be a valid datetime', input, loc);
};

function nullable(reader: Reader): Reader {
  return (input, loc) => (input === null ? { value: null } : reader(input, loc));
}

/** Reads every element; the places of faults are their indexes. */
function readList(reader: Reader, bounds: Readonly<{ min?: number; max?: number }> = {}): Reader {
  return (input, loc) => {
    if (!Array.isArray(input)) return problem('list_type', 'Input should be a valid list', input, loc);
    const { min = 0, max = Infinity } = bounds;
    if (input.length > max) return wrongLength('too_long', 'most', max, input.length, null, loc);
    const readings = input.map((element, index) => reader(element, [...loc, String(index)]));
    const problems = readings.flatMap((reading) => ('problems' in reading ? reading.problems : []));
    if (problems.length > 0) return { problems };
    if (input.length < min) return wrongLength('too_short', 'least', min, input.length, input, loc);
    return { value: readings.map((reading) => ('value' in reading ? reading.value : undefined)) };
  };
}

function wrongLength(
  type: 'too_long' | 'too_short',
  side: 'most' | 'least',
  limit: number,
  length: number,
  input: unknown,
  loc: readonly string[],
): Reading {
  const items = limit === 1 ? 'item' : 'items';
  const bound = type === 'too_long' ? { max_length: limit } : { min_length: limit };
  const msg = `List should have at ${side} ${limit} ${items} after validation, not ${length}`;
  return problem(type, msg, input, loc, { field_type: 'List', ...bound, actual_length: length });
}

/** An object as it was read: its known fields, and the names of the others. */
export type ReadObject = Readonly<{ values: Readonly<Record<string, unknown>>; unknownFields: readonly string[] }>;

/** Reads an object's known fields in the order of the shape; the names of others are kept. */
function readObject(fields: readonly Field[]): Reader {
  const names = new Set(fields.map(({ name }) => name));
  const shape = fields.map(({ name, type, nullable: orNull, required = false }) => ({
    name,
    required,
    reader: orNull ? nullable(readerOf(type)) : readerOf(type),
  }));
  return (input, loc) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      const msg = 'Input should be a valid dictionary or object to extract fields from';
      return problem('model_attributes_type', msg, input, loc);
    }
    const given = input as Record<string, unknown>;
    const values: Record<string, unknown> = {};
    const problems: Problem[] = [];
    for (const { name, reader, required } of shape) {
      const reading = Object.hasOwn(given, name)
        ? reader(given[name], [...loc, name])
        : required && problem('missing', 'Field required', input, [...loc, name]);
      if (reading === false) continue;
      if ('problems' in reading) problems.push(...reading.problems);
      else values[name] = reading.value;
    }
    if (problems.length > 0) return { problems };
    const unknownFields = Object.keys(given).filter((name) => !names.has(name));
    return { value: { values, unknownFields } satisfies ReadObject };
  };
}

/** The reader of a type. */
export function readerOf(type: ValueType): Reader {
  switch (type.kind) {
    case 'string':
      return readString;
    case 'boolean':
      return readBoolean;
    case 'datetime':
      return readTime;
    case 'file':
      return readFile;
    case 'integer':
      return readInteger(type);
    case 'enum':
      return readEnum(type.values, type.also);
    case 'list':
      return readList(readerOf(type.of), type);
    case 'object':
      return readObject(type.fields);
  }
}
