import { excerpt } from '../../src/lib/excerpt.ts';
import { isObject } from '../../src/lib/is-object.ts';
import { parseTime } from '../../src/lib/parse-time.ts';
import { TimeSlice } from '../../src/lib/time-slice.ts';
import { trimWhere } from '../../src/lib/trim.ts';
import type { Faults } from '../request/faults.ts';
import { StreamedFile } from './streamed-file.ts';
import type { ObjectType, ValueType } from '../endpoints/types.ts';

/** An uploaded file, in memory. */
export class UploadedFile {
  readonly name: string;
  readonly bytes: Buffer;

  constructor(name: string, bytes: Buffer) {
    this.name = name;
    this.bytes = bytes;
  }

  /** What error messages quote. */
  toJSON(): unknown {
    return { filename: this.name, size: this.bytes.length };
  }
}

/**
 * Reads the value at the current place of `faults`. Adds a fault and returns undefined if the value does not have
 * this type.
 */
export type Reader = (input: unknown, faults: Faults) => unknown;

/**
 * The rules are those of pydantic's lax mode, as recorded in the contract: which strings are booleans, which are
 * integers, and the wording of each error message.
 */

const trueWords = ['1', 'true', 't', 'yes', 'y', 'on'];
const falseWords = ['0', 'false', 'f', 'no', 'n', 'off'];
const maxDigits = 4300;
/** A plain number with too many digits gets an error of its own; anything else is simply not an integer. */
const tooManyDigits = new RegExp(`^-?[1-9]\\d{${maxDigits}}`);
/** Unicode white space; `\s` omits U+0085 and includes the byte order mark. */
const isBlank = (character: string) => character !== '\uFEFF' && /[\s\u0085]/.test(character);
const int64 = 2n ** 63n;

const readBoolean: Reader = (input, faults) => {
  if (typeof input === 'boolean') return input;
  if (input === 1 || input === 0) return input === 1;
  const word = typeof input === 'string' ? input.toLowerCase() : '';
  if (trueWords.includes(word)) return true;
  if (falseWords.includes(word)) return false;
  const whole = typeof input === 'number' && Number.isInteger(input) ? BigInt(input) : input;
  const isWhole = typeof whole === 'bigint' && whole < int64 && whole >= -int64;
  return typeof input === 'string' || isWhole
    ? faults.add('bool_parsing', 'Input should be a valid boolean, unable to interpret input', input)
    : faults.add('bool_type', 'Input should be a valid boolean', input);
};

/** Digits with single underscores between them; leading zeros are allowed, and so is a fraction of zeros. */
function isInteger(text: string): boolean {
  // Leading zeros may be mixed freely with underscores: 0__1 is 1, but 1__0 is not an integer.
  const digits = text.replace(/^([+-]?)0[0_]*(?=\d)/, '$1');
  if (!/^[+-]?\d+(?:_\d+)*(?:\.0+)?$/.test(digits)) return false;
  return text.length <= maxDigits || text.replace(/\.0+$/, '').replace(/^\D*[0_]+|\D/g, '').length <= maxDigits;
}

/** Reads an integer from the text of a path or query parameter. Beyond 2^53 the value is inexact. */
function readInteger(bounds: Readonly<{ ge?: number; le?: number }> = {}): Reader {
  return (input, faults) => {
    const text = trimWhere(String(input), isBlank);
    if (tooManyDigits.test(String(input))) {
      const msg = 'Unable to parse input string as an integer, exceeded maximum size';
      return faults.add('int_parsing_size', msg, input);
    }
    if (!isInteger(text)) {
      const msg = 'Input should be a valid integer, unable to parse string as an integer';
      return faults.add('int_parsing', msg, input);
    }
    const value = Number(text.replaceAll('_', ''));
    const { ge, le } = bounds;
    if (ge !== undefined && value < ge) {
      return faults.add('greater_than_equal', `Input should be greater than or equal to ${ge}`, input, { ge });
    }
    if (le !== undefined && value > le) {
      return faults.add('less_than_equal', `Input should be less than or equal to ${le}`, input, { le });
    }
    return value;
  };
}

const readString: Reader = (input, faults) =>
  typeof input === 'string' ? input : faults.add('string_type', 'Input should be a valid string', input);

function readEnum(values: readonly string[], also: readonly string[] = []): Reader {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.at(-1) ?? '';
  const expected = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${last}` : last;
  return (input, faults) =>
    typeof input === 'string' && (values.includes(input) || also.includes(input))
      ? input
      : faults.add('enum', `Input should be ${expected}`, input, { expected });
}

const readFile: Reader = (input, faults) =>
  input instanceof UploadedFile || input instanceof StreamedFile
    ? input
    : faults.add('value_error', "Value error, Expected UploadFile, received: <class 'str'>", input, { error: {} });

/** Reads an RFC 3339 time, or a day, which begins at midnight UTC. */
const readTime: Reader = (input, faults) => {
  const time = parseTime(String(input));
  return time === null ? faults.add('datetime_parsing', 'Input should be a valid datetime', input) : time.toISOString();
};

function nullable(reader: Reader): Reader {
  return (input, faults) => (input === null ? null : reader(input, faults));
}

/** Reads a list, or an object with what to add to it and what to remove from it. */
function readListOrChange(list: Reader): Reader {
  return (input, faults) => {
    if (!isChange(input)) return list(input, faults);
    return Object.fromEntries(
      Object.entries(input).map(([name, value]) => {
        faults.enter(name);
        const read = name === 'add' || name === 'remove' ? list(value, faults) : faults.add(...extra, value);
        faults.leave();
        return [name, read];
      }),
    );
  };
}

function isChange(input: unknown): input is Readonly<Record<string, unknown>> {
  return isObject(input) && (Object.hasOwn(input, 'add') || Object.hasOwn(input, 'remove'));
}

const extra = ['extra_forbidden', 'Extra inputs are not permitted'] as const;

type Bounds = Readonly<{ min?: number; max?: number }>;

/** Reads every element; faults are located by index. */
function readList(reader: Reader, bounds: Bounds = {}): Reader {
  return (input, faults) => {
    if (!isList(input, bounds, faults)) return undefined;
    const before = faults.count;
    const values: unknown[] = [];
    readElements(reader, input, values, input.length, faults);
    return endList(input, values, bounds, faults, before);
  };
}

/** Elements to read between two checks of the clock. */
const run = 32;

/** Reads a value as its reader does, but yields to other work between the elements of a long list. */
export async function readInSlices(
  type: ValueType,
  input: unknown,
  faults: Faults,
  tenantId?: number,
): Promise<unknown> {
  const reader = readerOf(type);
  if (type.kind !== 'list' || !Array.isArray(input) || input.length <= run) return reader(input, faults);
  if (!isList(input, type, faults)) return undefined;
  const before = faults.count;
  const element = readerOf(type.of);
  const values: unknown[] = [];
  const slice = new TimeSlice(tenantId);
  while (values.length < input.length) {
    readElements(element, input, values, values.length + run, faults);
    if (slice.isOver) await slice.pause();
  }
  return endList(input, values, type, faults, before);
}

function isList(input: unknown, { max = Infinity }: Bounds, faults: Faults): input is unknown[] {
  if (!Array.isArray(input)) faults.add('list_type', 'Input should be a valid list', input);
  else if (input.length > max) wrongLength('too_long', 'most', max, input.length, null, faults);
  else return true;
  return false;
}

/** Reads the elements after those already read, up to `end`. */
function readElements(reader: Reader, input: readonly unknown[], values: unknown[], end: number, faults: Faults): void {
  for (let index = values.length; index < end && index < input.length; index += 1) {
    faults.enter(index);
    values.push(reader(input[index], faults));
    faults.leave();
  }
}

function endList(input: unknown[], values: unknown[], { min = 0 }: Bounds, faults: Faults, before: number): unknown {
  if (faults.count > before) return undefined;
  if (input.length < min) return wrongLength('too_short', 'least', min, input.length, input, faults);
  return values;
}

function wrongLength(
  type: 'too_long' | 'too_short',
  side: 'most' | 'least',
  limit: number,
  length: number,
  input: unknown,
  faults: Faults,
): undefined {
  const items = limit === 1 ? 'item' : 'items';
  const bound = type === 'too_long' ? { max_length: limit } : { min_length: limit };
  const msg = `List should have at ${side} ${limit} ${items} after validation, not ${length}`;
  return faults.add(type, msg, input, { field_type: 'List', ...bound, actual_length: length });
}

/** An object as read: its known fields, and the names of unknown ones, truncated if long. */
export type ReadObject = Readonly<{ values: Readonly<Record<string, unknown>>; unknownFields: readonly string[] }>;

/** Reads an object's known fields in the order of its type; the names of unknown fields are kept. */
function readObject({ fields, isClosed }: ObjectType): Reader {
  const names = new Set(fields.map(({ name }) => name));
  const shape = fields.map(({ name, as = name, type, nullable: orNull, required = false }) => ({
    name,
    as,
    required,
    reader: orNull ? nullable(readerOf(type)) : readerOf(type),
  }));
  return (input, faults) => {
    if (!isObject(input)) {
      const msg = 'Input should be a valid dictionary or object to extract fields from';
      return faults.add('model_attributes_type', msg, input);
    }
    const values: Record<string, unknown> = {};
    const before = faults.count;
    for (const { name, as, reader, required } of shape) {
      const isGiven = Object.hasOwn(input, name);
      if (!isGiven && !required) continue;
      faults.enter(name);
      values[as] = isGiven ? reader(input[name], faults) : faults.add('missing', 'Field required', input);
      faults.leave();
    }
    const unknown = unknownIn(input, names);
    for (const name of isClosed ? unknown : none) {
      faults.enter(excerpt(name));
      faults.add(...extra, input[name]);
      faults.leave();
    }
    if (faults.count > before) return undefined;
    return { values, unknownFields: unknown.map((name) => excerpt(name)) } satisfies ReadObject;
  };
}

const none: readonly string[] = [];

/** Maximum number of unknown names of an object: nobody reads more of them, and they are stored with each element. */
const maxUnknown = 20;

function unknownIn(given: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): readonly string[] {
  let unknown: string[] | undefined;
  for (const name in given) {
    if (!Object.hasOwn(given, name) || names.has(name)) continue;
    (unknown ??= []).push(name);
    if (unknown.length === maxUnknown) break;
  }
  return unknown ?? none;
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
      return type.orChange ? readListOrChange(readList(readerOf(type.of), type)) : readList(readerOf(type.of), type);
    case 'object':
      return readObject(type);
  }
}
