import { findFormulaField } from '../../catalog/index.ts';
import type { Locale } from '../../catalog/index.ts';

/** The name of a field in a sentence. */
export function labelOf(field: string, locale: Locale): string {
  return findFormulaField(field)?.label[locale] ?? field;
}
