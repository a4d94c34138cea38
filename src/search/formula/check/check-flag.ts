import { formulaFieldsOf } from '../../../catalog/index.ts';
import type { Resource } from '../../../catalog/index.ts';
import type { FlagTerm } from '../ast.ts';
import type { Condition, Test } from '../conditions.ts';
import { fail } from '../errors.ts';
import type { FlagOperator } from '../parse/flag-operators.ts';
import { requireField } from './require-field.ts';
import { didYouMean, suggest } from '../../../lib/suggest.ts';

type Meaning = (term: FlagTerm, resource: Resource) => Condition;

/** The meaning of each operator. */
const meanings: Readonly<Record<FlagOperator, Meaning>> = {
  has: checkPresent,
  no: (term, resource) => negated(checkPresent(term, resource)),
  is: checkFlagName,
};

/** Returns the condition of a flag term. @throws FormulaError for an unknown name. */
export function checkFlag(term: FlagTerm, resource: Resource): Condition {
  return meanings[term.flag](term, resource);
}

function negated(item: Test): Condition {
  return { kind: 'not', item, span: item.span };
}

function checkPresent({ flag, name, nameSpan, span }: FlagTerm, resource: Resource): Test {
  return { kind: 'present', field: requireField(name, nameSpan, resource, `${flag}:${name}`), span };
}

/** Resolves the name to a boolean field that must be true, or to a value of an enumeration. */
function checkFlagName({ flag, name, nameSpan, span }: FlagTerm, resource: Resource): Test {
  const own = formulaFieldsOf(resource);
  const boolean = own.find((field) => field.kind === 'boolean' && field.name === name);
  if (boolean !== undefined) return { kind: 'boolean', field: boolean, value: true, span };
  const option = own.find(({ values }) => values.includes(name));
  if (option !== undefined) return { kind: 'value', field: option, isPrefix: false, text: name, span };
  const flags = own.flatMap((field) => (field.kind === 'boolean' ? [field.name] : field.values));
  const suggestions = suggest(name, flags);
  const hint = didYouMean(suggestions, `${flag}: takes ${flags.join(', ')}.`);
  return fail('unknown_flag', nameSpan, `Unknown flag '${name}'`, hint, suggestions.length > 0 ? suggestions : flags);
}
