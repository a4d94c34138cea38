import { findFormulaField } from '../../catalog/index.ts';
import type { Locale } from '../../catalog/index.ts';

/** Returns the name of a field for use in a sentence. */
export function labelOf(field: string, locale: Locale): string {
  return findFormulaField(field)?.label[locale] ?? field;
}
