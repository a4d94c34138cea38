import { fieldsOf, writableFieldsOf } from '../catalog/index.ts';
import type { Resource } from '../catalog/index.ts';
import { AppError } from '../lib/errors.ts';
import { didYouMean, suggest } from '../lib/suggest.ts';

/** A field of an exported record: its name in the file, and its name in TypeScript. */
export type Column = Readonly<{ name: string; property: string }>;

const language: Column = { name: 'lang', property: 'lang' };

/** The identifier, by the name that imports use. */
const identifiers: Readonly<Record<Resource, Column>> = {
  image: { name: 'id', property: 'imageId' },
  video: { name: 'id', property: 'videoId' },
};

const known: Readonly<Record<Resource, ReadonlyMap<string, Column>>> = {
  image: columnsByName('image'),
  video: columnsByName('video'),
};

function columnsByName(resource: Resource): ReadonlyMap<string, Column> {
  const others = fieldsOf[resource].filter(({ name }) => !isIdentifier(name));
  return new Map([...others, language].map(({ name, property }) => [name, { name, property }]));
}

function isIdentifier(name: string): boolean {
  return ['id', 'image_id', 'video_id'].includes(name);
}

/**
 * The fields of an export, starting with the identifier; by default those that an import reads back.
 *
 * @throws AppError `invalid_argument` for a name that is not a field.
 */
export function exportedColumns(resource: Resource, names: readonly string[] | null): readonly Column[] {
  const asked = names ?? writableFieldsOf[resource].map(({ name }) => name);
  const others = [...new Set(asked)].filter((name) => !isIdentifier(name));
  return [identifiers[resource], ...others.map((name) => columnNamed(resource, name))];
}

function columnNamed(resource: Resource, name: string): Column {
  const column = known[resource].get(name);
  if (column !== undefined) return column;
  const names = [...known[resource].keys()];
  const hint = didYouMean(suggest(name, names), `Fields: ${names.join(', ')}`);
  throw new AppError('invalid_argument', `No field of ${resource}s has the name '${name}'`, {
    argument: 'fields',
    hint,
  });
}
