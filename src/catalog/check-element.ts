import { ElementError } from '../lib/errors.ts';
import type { ElementErrorCode } from '../lib/errors.ts';
import { listLimits, writableFieldsOf } from './fields.ts';
import type { Field, Resource } from './fields.ts';
import { checkListChange, isListChange } from './list-change.ts';
import type { ListChange } from './list-change.ts';
import { checkLocks } from './locks.ts';
import { parsePartialDate } from './partial-date.ts';
import { faultOfAddress } from './source-address.ts';
import type { Revert } from './history/revert.ts';
import type { IfMatch } from './version.ts';

/**
 * What a write does with the record of this id. `upsert` is a replace that may create; `analyze` changes no field;
 * `revert` restores former values; `purge` removes the record and its history permanently; `merge` gives another
 * record the values that it lacks, and deletes this one.
 */
export type WriteAction =
  'create' | 'replace' | 'upsert' | 'update' | 'delete' | 'analyze' | 'revert' | 'purge' | 'merge';

/** Actions whose elements have no values. */
const withoutValues: ReadonlySet<WriteAction> = new Set(['delete', 'analyze', 'revert', 'purge', 'merge']);

export type FieldValue = string | boolean | readonly string[] | ListChange | null;

/** One element of a write as accepted: its shape is valid, but the meaning of its values has not been checked yet. */
export type WriteElement = Readonly<{
  id: string;
  /** Values by property name. A property that was not sent is absent. */
  values: Readonly<Record<string, FieldValue | undefined>>;
  /** Names that were sent but are not part of the contract. */
  unknownFields?: readonly string[];
  /** The versions of the record that the write accepts. */
  ifMatch?: IfMatch;
  /** The state to revert it to. */
  revert?: Revert;
  /** The id of the record to merge it into. */
  into?: string;
  /** The versions of that record that the write accepts. */
  intoIfMatch?: IfMatch;
  /** Why it cannot be written, if that already showed when it was read. */
  fault?: Readonly<{ code: ElementErrorCode; message: string; field: string | null }>;
  /** An analysis as it was sent, for a new record whose source then need not be read. */
  analysis?: unknown;
}>;

/** Where the bytes of a record come from. */
export type Source = Readonly<{ kind: 'url' | 'path'; value: string }>;

/** An element whose values can be stored. */
export type CheckedElement = Readonly<{
  id: string;
  /** Every value to write, by property name, with `dateStart` and `dateEnd` in addition to `date`. */
  values: Readonly<Record<string, FieldValue>>;
  source: Source | null;
}>;

/**
 * Checks the meaning of values beyond their types: lengths, dates, exactly one source.
 *
 * @throws ElementError with the code and field of the first fault.
 */
export function checkElement(
  resource: Resource,
  action: WriteAction,
  element: WriteElement,
  strict: boolean,
): CheckedElement {
  checkId(element.id);
  const unknown = element.unknownFields?.[0];
  if (strict && unknown !== undefined) {
    throw new ElementError('invalid_field', `unknown field '${unknown}'`, unknown);
  }
  if (withoutValues.has(action)) return { id: element.id, values: {}, source: null };
  const values: Record<string, FieldValue> = {};
  for (const field of writableFieldsOf[resource]) {
    const value = element.values[field.property];
    if (value === undefined || isBlankSource(field, value)) continue;
    Object.assign(values, checkValue(field, value, action));
    if (field.name === 'locked_fields') checkLocks(resource, namesIn(values[field.property]));
  }
  return { id: element.id, ...withOneSource(action, values) };
}

function checkId(id: string): void {
  if (id === '' || isLongerThan(id, 255))
    throw new ElementError('invalid_field', 'id must have 1 to 255 characters', 'id');
  if (/\p{Cc}/u.test(id) || !id.isWellFormed()) {
    throw new ElementError('invalid_field', 'id must not contain control characters', 'id');
  }
}

/** Whether a text has more code points; one that may have millions is not taken apart. */
function isLongerThan(text: string, most: number): boolean {
  return text.length > 2 * most || (text.length > most && [...text].length > most);
}

function checkValue(field: Field, value: FieldValue, action: WriteAction): Record<string, FieldValue> {
  const { name, property, type } = field;
  if (type === 'date') return checkDate(name, property, value as string | null);
  if (isListChange(value)) return { [property]: checkChange(name, value, action) };
  if (type === 'list') return { [property]: value === null ? null : checkList(name, value as readonly string[]) };
  if (typeof value === 'string') checkText(name, value, field.maxLength);
  return { [property]: value };
}

function checkText(name: string, value: string, maxLength: number): void {
  if (isLongerThan(value, maxLength)) {
    throw new ElementError('invalid_field', `${name} must have at most ${maxLength} characters`, name);
  }
  if (value.includes('\0') || !value.isWellFormed()) {
    throw new ElementError('invalid_field', `${name} must be Unicode text without NUL`, name);
  }
}

function checkDate(name: string, property: string, value: string | null): Record<string, FieldValue> {
  if (value === null || value === '') return { [property]: null, dateStart: null, dateEnd: null };
  const period = parsePartialDate(value);
  if (period === null) {
    throw new ElementError('invalid_field', `${name} '${value.slice(0, 40)}' is not YYYY-MM-DD, YYYY-MM or YYYY`, name);
  }
  return { [property]: value, dateStart: period.start, dateEnd: period.end };
}

function checkList(name: string, value: readonly string[]): readonly string[] {
  const unique = [...new Set(value)];
  if (unique.length > listLimits.elements) {
    throw new ElementError('invalid_field', `${name} must have at most ${listLimits.elements} elements`, name);
  }
  for (const element of unique) checkText(name, element, listLimits.length);
  return unique;
}

/** Returns the names in a list, or in a change to a list. */
function namesIn(value: FieldValue | undefined): readonly string[] {
  if (isListChange(value)) return [...(value.add ?? []), ...(value.remove ?? [])];
  return Array.isArray(value) ? value : [];
}

function checkChange(name: string, { add = [], remove = [] }: ListChange, action: WriteAction): ListChange {
  if (action !== 'update') {
    throw new ElementError('invalid_field', `${name} must be a whole list here; only an update adds and removes`, name);
  }
  const change = { add: checkList(name, add), remove: checkList(name, remove) };
  checkListChange(name, change);
  return change;
}

/** Forms send an empty string for a blank field. No source is empty, so it counts as not sent. */
function isBlankSource({ property }: Field, value: FieldValue): boolean {
  return value === '' && (property === 'src' || property === 'srcPath');
}

function withOneSource(action: WriteAction, values: Record<string, FieldValue>): Omit<CheckedElement, 'id'> {
  const { src, srcPath } = values;
  if (typeof src === 'string' && typeof srcPath === 'string') {
    throw new ElementError('source_conflict', 'give only one of src and src_path', 'src');
  }
  if (typeof src === 'string') {
    checkAddress(src);
    return { values: { ...values, srcPath: null }, source: { kind: 'url', value: src } };
  }
  if (typeof srcPath === 'string') {
    return { values: { ...values, src: null }, source: { kind: 'path', value: srcPath } };
  }
  if (action !== 'update') throw new ElementError('source_missing', 'give exactly one of src and src_path', 'src');
  return { values, source: null };
}

function checkAddress(src: string): void {
  const fault = faultOfAddress(src);
  if (fault === 'not_absolute') throw new ElementError('invalid_field', 'src is not an absolute URL', 'src');
  if (fault === 'not_http') throw new ElementError('source_forbidden', 'src must be an http or https URL', 'src');
}
