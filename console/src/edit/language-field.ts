import { languages } from '../../../src/analysis/facts.ts';
import { t } from '../i18n/index.svelte.ts';
import { preferences } from '../state/preferences.svelte.ts';
import type { CatalogField } from '../state/fields.svelte.ts';

/** The language of a record's texts, which is edited like a field. Formulas do not use it. */
export function languageField(): CatalogField {
  const label = t().edit.textLanguage;
  const can = {
    inFormulas: false,
    isUrl: false,
    isFacet: false,
    isEditable: true,
    isLockable: false,
    isLong: false,
    isSortable: false,
  };
  return {
    name: 'lang',
    property: 'lang',
    kind: 'language',
    label,
    description: label,
    ...can,
    maxLength: null,
    maxElements: null,
  };
}

/** The languages of texts, each with its name. */
export function languageNames(): readonly (readonly [code: string, name: string])[] {
  const names = new Intl.DisplayNames(preferences.language, { type: 'language' });
  return languages.map((code) => [code, names.of(code) ?? code] as const);
}
