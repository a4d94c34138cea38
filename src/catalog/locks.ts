import { ElementError } from '../lib/errors.ts';
import { excerpt } from '../lib/excerpt.ts';
import { lockableFieldsOf } from './fields.ts';
import type { Resource } from './fields.ts';

/** SQL condition: the row's field of this name is locked; null if the row has no locks. */
export function isLocked(row: string, name: string): string {
  return `('${name}' = ANY(${row}.locked_fields))`;
}

/** Names, by property, of the fields whose property is spelled differently, as a JSON object. */
const namesOf = (resource: Resource) => {
  const others = lockableFieldsOf[resource].filter(({ name, property }) => name !== property);
  return JSON.stringify(Object.fromEntries(others.map(({ name, property }) => [property, name])));
};

/** SQL condition: the row's field of a property is locked, where `property` is an SQL expression. */
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
