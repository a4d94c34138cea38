import { graphql } from '../api/graphql.ts';
import { CatalogFields } from '../api/documents.ts';
import type { CatalogFieldsQuery } from '../api/documents.ts';
import { patiently } from '../api/patiently.ts';
import { t } from '../i18n/index.svelte.ts';
import { preferences } from './preferences.svelte.ts';
import { route } from './route.svelte.ts';

export type CatalogField = CatalogFieldsQuery['catalogFields'][number];

let fields = $state.raw<readonly CatalogField[]>([]);

/** The fields that formulas can use, as the service names them. */
export function catalogFields(): readonly CatalogField[] {
  return fields.filter(({ inFormulas }) => inFormulas);
}

/** The fields that records have, including those that formulas cannot use. */
export function recordFields(): readonly CatalogField[] {
  return fields.filter(({ property }) => property !== null);
}

/** The label of a field, capitalized. */
export function labelOf(name: string): string {
  return titleOf(fieldNamed(name) ?? { name, label: name.replaceAll('_', ' ') });
}

/** The field with a name; undefined if the kind has none. */
export function fieldNamed(name: string): CatalogField | undefined {
  return fields.find((field) => field.name === name);
}

/** The label of a given field, capitalized. */
export function titleOf({ name, label: ofOne }: Pick<CatalogField, 'name' | 'label'>): string {
  const label = t().values.lists[name] ?? ofOne;
  return label.charAt(0).toLocaleUpperCase(preferences.language) + label.slice(1);
}

/** Reads the fields, and again when the language or the kind changes. */
export function keepFields(): void {
  const kind = $derived(route().kind);
  $effect(() => {
    const stop = new AbortController();
    const variables = { resource: kind, language: preferences.language };
    const ask = () => graphql(CatalogFields, variables, stop.signal);
    // Without them, nothing could be sorted, filtered or edited.
    patiently(ask, { onWait: () => {}, signal: stop.signal }).then(
      ({ catalogFields: found }) => (fields = found),
      () => {},
    );
    return () => stop.abort();
  });
}
