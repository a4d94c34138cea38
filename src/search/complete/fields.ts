import { colorFamilies, colorShades, formulaFieldsOf } from '../../catalog/index.ts';
import type { FormulaField, FormulaKind, Resource } from '../../catalog/index.ts';
import { dateWords } from '../formula/check/dates.ts';
import { flagOperators } from '../formula/parse/flag-operators.ts';
import type { FlagOperator } from '../formula/parse/flag-operators.ts';
import { comparatorsOf } from '../formula/index.ts';
import { suggest } from '../../lib/suggest.ts';
import type { Completion } from './completion.ts';

/** Values that can be suggested for a kind of field, independent of the stored records. */
const literals: Readonly<Partial<Record<FormulaKind, readonly string[]>>> = {
  boolean: ['true', 'false', 'null'],
  date: [...dateWords, '-7d..', '-30d..', '-1y..'],
  time: [...dateWords, '-24h..', '-7d..', '-30d..'],
  ratio: ['1:1', '4:3', '3:2', '16:9', '2:3', '9:16'],
  duration: ['..30s', '..1m', '1m..5m', '1h..'],
  color: [...new Set([...colorFamilies, ...colorShades])],
};

/** Returns the fields that start with `part`, or else those that may have been meant; a full name gets its comparators. */
export function completeField(part: string, resource: Resource): Completion[] {
  const fields = formulaFieldsOf(resource);
  const lower = part.toLowerCase();
  const whole = fields.find(({ name }) => name === lower);
  const meant = suggest(
    lower,
    fields.map(({ name }) => name),
  );
  const beginning = fields.filter(({ name }) => name.startsWith(lower));
  const found = beginning.length > 0 ? beginning : fields.filter(({ name }) => meant.includes(name));
  return [
    ...(whole === undefined ? [] : comparatorsOf(whole.kind)).map((sign): Completion => ({
      text: `${lower}${sign}`,
      kind: 'field',
      description: whole?.description ?? '',
      count: null,
    })),
    ...found
      .filter((field) => field !== whole)
      .map(({ name, description }): Completion => ({ text: `${name}:`, kind: 'field', description, count: null })),
  ];
}

/** Returns the values of a field that are known from its kind. */
export function completeLiteral({ kind, values, description }: FormulaField, part: string): Completion[] {
  const known = kind === 'enum' ? values : (literals[kind] ?? []);
  return known
    .filter((text) => text.startsWith(part.toLowerCase()))
    .map((text) => ({ text, kind: 'value', description, count: null }));
}

/** Returns the names that an operator accepts, such as the fields for `has:`. */
export function completeFlag(flag: FlagOperator, part: string, resource: Resource): Completion[] {
  const names = formulaFieldsOf(resource).flatMap(({ name, kind, values, description }) => {
    if (flagOperators[flag].takes === 'fields') return [[name, description] as const];
    return kind === 'boolean' ? [[name, description] as const] : values.map((value) => [value, description] as const);
  });
  return names
    .filter(([name]) => name.startsWith(part.toLowerCase()))
    .map(([text, description]) => ({ text, kind: 'flag', description, count: null }));
}

const prefixes: readonly (readonly [text: string, description: string])[] = [
  ...Object.entries(flagOperators).map(([name, { description }]) => [`${name}:`, description] as const),
  ['saved:', 'A formula that was saved under a name.'],
  ['collection:', 'What is in a collection.'],
  ['i~', 'Pictures of the same theme.'],
  ['i~~', 'Pictures of the same subject and composition.'],
  ['i~~~', 'Pictures of nearly the same scene.'],
  ['i=', 'Edits of a picture.'],
  ['i==', 'The same picture, re-encoded.'],
  ['i===', 'The same picture, nearly to the pixel.'],
];

/** Returns the prefixes of terms that are not fields. */
export function completePrefix(part: string): Completion[] {
  return prefixes
    .filter(([text]) => text.startsWith(part.toLowerCase()))
    .map(([text, description]) => ({ text, kind: 'flag', description, count: null }));
}
