import { ElementError } from '../lib/errors.ts';
import { excerpt } from '../lib/excerpt.ts';
import { lockableFieldsOf } from './fields.ts';
import type { Resource } from './fields.ts';

/** SQL condition: the field of this name is locked in the row; null if the row has no locks. */
export function isLocked(row: string, name: string): string {
  return `('${name}' = ANY(${row}.locked_fields))`;
}

/** As a JSON object by property: the names of fields whose property is spelled differently. */
const namesOf = (resource: Resource) => {
  const others = lockableFieldsOf[resource].filter(({ name, property }) => name !== property);
  return JSON.stringify(Object.fromEntries(others.map(({ name, property }) => [property, name])));
};

/** SQL condition: the field of this property, an SQL expression, is locked in the row. */
export function isPropertyLocked(resource: Resource, row: string, property: string): string {
  return `(COALESCE('${namesOf(resource)}'::jsonb ->> ${property}, ${property}) = ANY(${row}.locked_fields))`;
}

/** @throws ElementError for a name that is not a lockable field. */
export function checkLocks(resource: Resource, names: readonly string[]): void {
  const known = lockableFieldsOf[resource].map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const message = `locked_fields cannot have '${excerpt(unknown, 40)}'; fields: ${known.join(', ')}`;
  throw new ElementError('invalid_field', message, 'locked_fields');
}
