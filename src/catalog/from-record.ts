import { ElementError } from '../lib/errors.ts';
import type { FieldValue, WriteElement } from './check-element.ts';
import { writableFieldsOf } from './fields.ts';
import type { FieldType, Resource } from './fields.ts';

/**
 * Reads an image or a video from a record with the contract's names, as found in files. Names that are not part of
 * the contract are returned as unknown.
 *
 * @throws ElementError `invalid_field` if a value has the wrong type.
 */
export function fromRecord(record: Readonly<Record<string, unknown>>, resource: Resource = 'image'): WriteElement {
  const { id, ...rest } = record;
  if (typeof id !== 'string' || id === '')
    throw new ElementError('invalid_field', 'id must be a non-empty string', 'id');
  const values: Record<string, FieldValue> = {};
  const names = new Map(writableFieldsOf[resource].map((field) => [field.name, field]));
  for (const [name, value] of Object.entries(rest)) {
    const field = names.get(name);
    if (field === undefined) continue;
    if (!fits(field.type, value)) throw new ElementError('invalid_field', `${name} must be ${nouns[field.type]}`, name);
    values[field.property] = value as FieldValue;
  }
  const unknownFields = Object.keys(rest).filter((name) => !names.has(name));
  return { id, values, ...(unknownFields.length > 0 && { unknownFields }) };
}

const nouns: Readonly<Record<FieldType, string>> = {
  text: 'a text',
  keyword: 'a text',
  date: 'a text',
  list: 'a list of texts',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  duration: 'a number',
  time: 'a time',
};

function fits(type: FieldType, value: unknown): boolean {
  if (value === null) return true;
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'list') return Array.isArray(value) && value.every((element) => typeof element === 'string');
  return typeof value === 'string';
}
