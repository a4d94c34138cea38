import { listSeparator, splitList, unguardText } from '../lib/csv-cells.ts';
import { fieldsOf, resources, writableFieldsOf } from '../catalog/fields.ts';
import type { FieldType, Resource } from '../catalog/fields.ts';
import { resourceOfFile } from '../catalog/media-files.ts';
import { suggest } from '../lib/suggest.ts';
import type { TableColumn } from './table.ts';

/** Names that other catalogs use for fields. */
const otherNames: Readonly<Record<string, string>> = {
  image_id: 'id',
  video_id: 'id',
  identifier: 'id',
  file: 'src_path',
  filename: 'src_path',
  file_name: 'src_path',
  path: 'src_path',
  url: 'src',
  tags: 'keywords',
  subject: 'keywords',
  creator: 'author',
  photographer: 'author',
  byline: 'author',
  name: 'title',
  category: 'categories',
  collection: 'collections',
};

const types: ReadonlyMap<string, FieldType> = new Map(
  resources.flatMap((resource) => fieldsOf[resource].map(({ name, type }) => [name, type] as const)),
);
const flags: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

/** The names of fields that records of a file may contain. */
export const importedNames: Readonly<Record<Resource, ReadonlySet<string>>> = {
  image: namesOf('image'),
  video: namesOf('video'),
};

function namesOf(resource: Resource): ReadonlySet<string> {
  return new Set(['id', ...writableFieldsOf[resource].map(({ name }) => name)]);
}

/** Returns the fields that an unknown name probably means, the best first. */
export function fieldsMeant(name: string): readonly string[] {
  const plain = name.toLowerCase().trim().replaceAll(/[ -]+/g, '_');
  const known = [...new Set([...importedNames.image, ...importedNames.video])];
  const other = Object.hasOwn(otherNames, plain) ? otherNames[plain] : undefined;
  const meant = known.includes(plain) ? plain : other;
  return meant === undefined ? suggest(plain, known) : [meant];
}

/** Whether the values of a field are lists. */
export function isList(field: string | null): boolean {
  return field !== null && types.get(field) === 'list';
}

/** Returns the kind of a record, judged by the file name of its source; image by default. */
export function resourceOf({ src_path: path, src }: Readonly<Record<string, unknown>>): Resource {
  const source =
    typeof path === 'string' && path !== '' ? path : typeof src === 'string' ? (src.split(/[?#]/, 1)[0] ?? '') : '';
  return resourceOfFile(source) ?? 'image';
}

/** Returns the record of a row: the values of columns under the names of their fields. Several columns may fill a list. */
export function toRecord(columns: readonly TableColumn[], values: readonly unknown[]): Record<string, unknown> {
  const record = new Map<string, unknown>();
  for (const [index, { field, separator }] of columns.entries()) {
    const value = field === null ? undefined : toValue(field, values[index], separator);
    if (field === null || value === undefined) continue;
    const before = record.get(field);
    record.set(field, Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value);
  }
  return Object.fromEntries(record);
}

/**
 * Converts a cell: empty text is absent, flags are words, and the apostrophe that guards against formulas is removed.
 * JSON values other than text stay as they are.
 */
function toValue(field: string, value: unknown, separator: string | null): unknown {
  if (separator === null || typeof value !== 'string') return value;
  if (value === '') return undefined;
  const type = types.get(field);
  if (type === 'boolean') return flags[value.toLowerCase()] ?? value;
  const text = unguardText(value);
  if (type !== 'list') return text;
  const parts = separator === listSeparator ? splitList(text) : text.split(separator).map((part) => part.trim());
  return parts.filter((part) => part !== '');
}
