import { findFormulaField, formulaFieldsOf } from '../../../catalog/index.ts';
import type { FormulaField, Resource } from '../../../catalog/index.ts';
import { fail } from '../errors.ts';
import type { Span } from '../errors.ts';
import { didYouMean, suggest } from '../../../lib/suggest.ts';

/** Returns the field with this name, which was used in `text`. @throws FormulaError `unknown_field` */
export function requireField(name: string, span: Span, resource: Resource, text = `${name}:…`): FormulaField {
  const field = findFormulaField(name);
  if (field?.sql[resource] !== undefined) return field;
  const known = formulaFieldsOf(resource).map((each) => each.name);
  const expected = suggest(name, known);
  const otherwise =
    field === null
      ? `To search for the text, quote it: "${text}"`
      : `${name} is a field of ${resource === 'image' ? 'videos' : 'images'}.`;
  return fail('unknown_field', span, `Unknown field '${name}'`, didYouMean(expected, otherwise), expected);
}
