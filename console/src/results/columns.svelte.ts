import { shownValues } from '../i18n/shown-value.ts';
import { catalogFields } from '../state/fields.svelte.ts';
import { preferences } from '../state/preferences.svelte.ts';
import type { Item } from './items.ts';

/** The default columns. */
const standard = ['date', 'author', 'country', 'width'];

/** Names of the fields that lists show, provided that the catalog has them. */
export function columns(): readonly string[] {
  const wanted = preferences.columns.length > 0 ? preferences.columns : standard;
  return wanted.filter((name) => listed().some((field) => field.name === name));
}

/** Fields that can be columns: those that records have, except for those that serve as their names anyway. */
export function listed() {
  return catalogFields().filter(
    ({ name, property }) => property !== null && !['image_id', 'video_id', 'title'].includes(name),
  );
}

/** The property of a record that holds a field. */
function propertyOf(name: string): string {
  return catalogFields().find((field) => field.name === name)?.property ?? name;
}

/** The value of a field as text. */
export function textOf(item: Item, name: string): string {
  const value = (item as unknown as Readonly<Record<string, unknown>>)[propertyOf(name)];
  const field = catalogFields().find((each) => each.name === name);
  return shownValues(value, field).join(', ');
}
