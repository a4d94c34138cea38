import { fieldsOf, resources } from '../../../src/catalog/fields.ts';
import { fieldsMeant, importedNames, isList } from '../../../src/tables/columns.ts';
import type { TableColumn, OpenBytes } from '../../../src/tables/table.ts';
import { t } from '../i18n/index.svelte.ts';
import { preferences } from '../state/preferences.svelte.ts';

/** Reads the bytes of a file in the browser. */
export function bytesOf(file: Blob): OpenBytes {
  return async function* read() {
    const reader = file.stream().getReader();
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
    } finally {
      await reader.cancel();
    }
  };
}

const known: ReadonlySet<string> = new Set([...importedNames.image, ...importedNames.video]);

/**
 * Columns with the fields that they probably contain: fields with the same name come first. Only list fields can take
 * several columns.
 */
export function guessed(columns: readonly TableColumn[]): readonly TableColumn[] {
  const taken = new Set(columns.flatMap(({ name }) => (known.has(name) ? [name] : [])));
  return columns.map((column) => {
    if (known.has(column.name)) return column;
    const field = fieldsMeant(column.name).find((name) => isList(name) || !taken.has(name)) ?? null;
    if (field !== null) taken.add(field);
    return { ...column, field };
  });
}

const labels = new Map(
  resources.flatMap((resource) => fieldsOf[resource].map(({ name, label }) => [name, label] as const)),
);

/** The label of a field. */
export function labelOfColumn(name: string): string {
  const own: Readonly<Record<string, string>> = t().table.fields;
  const text = own[name] ?? (labels.get(name)?.[preferences.language] || name);
  return text.charAt(0).toLocaleUpperCase(preferences.language) + text.slice(1);
}

/**
 * The fields that columns can contain, sorted by label. If two have the same label, it says which kind of record has
 * which.
 */
export function fieldChoices(): readonly Readonly<{ name: string; label: string }>[] {
  const all = [...known].map((name) => ({ name, label: labelOfColumn(name) }));
  const choices = all.map(({ name, label }) => {
    const isShared = all.some((other) => other.name !== name && other.label === label);
    const owner = isShared ? resources.find((resource) => importedNames[resource].has(name)) : undefined;
    return { name, label: owner === undefined ? label : `${label} (${t().kinds[owner].toLowerCase()})` };
  });
  return choices.toSorted((a, b) => a.label.localeCompare(b.label, preferences.language));
}
