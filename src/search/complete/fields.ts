import { colorFamilies, colorShades, describeField, formulaFieldsOf } from '../../catalog/index.ts';
import type { FormulaField, FormulaKind, Locale, Resource } from '../../catalog/index.ts';
import { dateWords } from '../formula/check/dates.ts';
import { flagOperators } from '../formula/parse/flag-operators.ts';
import type { FlagOperator, FlagOperatorRow } from '../formula/parse/flag-operators.ts';
import { comparatorsOf } from '../formula/index.ts';
import { suggest } from '../../lib/suggest.ts';
import type { Completion } from './completion.ts';

/** The records that a formula asks for, and the language of descriptions. */
type Asked = Readonly<{ resource: Resource; locale: Locale }>;

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
export function completeField(part: string, { resource, locale }: Asked): Completion[] {
  const fields = formulaFieldsOf(resource);
  const lower = part.toLowerCase();
  const whole = fields.find(({ name }) => name === lower);
  const meant = suggest(
    lower,
    fields.map(({ name }) => name),
  );
  const beginning = fields.filter(({ name }) => name.startsWith(lower));
  const found = beginning.length > 0 ? beginning : fields.filter(({ name }) => meant.includes(name));
  const toCompletion = (text: string, field: FormulaField): Completion => {
    return { text, kind: 'field', description: describeField(field, locale), count: null };
  };
  return [
    ...(whole === undefined ? [] : comparatorsOf(whole.kind).map((sign) => toCompletion(`${lower}${sign}`, whole))),
    ...found.filter((field) => field !== whole).map((field) => toCompletion(`${field.name}:`, field)),
  ];
}

/** Returns the values of a field that are known from its kind. */
export function completeLiteral(field: FormulaField, part: string, locale: Locale): Completion[] {
  const { kind, values } = field;
  const description = describeField(field, locale);
  const known = kind === 'enum' ? values : (literals[kind] ?? []);
  return known
    .filter((text) => text.startsWith(part.toLowerCase()))
    .map((text) => ({ text, kind: 'value', description, count: null }));
}

/** Returns the names that an operator accepts, such as the fields for `has:`. */
export function completeFlag(flag: FlagOperator, part: string, { resource, locale }: Asked): Completion[] {
  const names = formulaFieldsOf(resource).flatMap((field) => {
    const { name, kind, values } = field;
    const description = describeField(field, locale);
    if (flagOperators[flag].takes === 'fields') return [[name, description] as const];
    return kind === 'boolean' ? [[name, description] as const] : values.map((value) => [value, description] as const);
  });
  return names
    .filter(([name]) => name.startsWith(part.toLowerCase()))
    .map(([text, description]) => ({ text, kind: 'flag', description, count: null }));
}

const prefixes: readonly Readonly<{ text: string } & Record<Locale, string>>[] = [
  ...Object.entries<FlagOperatorRow>(flagOperators).map(([name, { description, es = description }]) => {
    return { text: `${name}:`, en: description, es };
  }),
  { text: 'saved:', en: 'A formula that was saved under a name.', es: 'Una fórmula guardada con un nombre.' },
  { text: 'collection:', en: 'What is in a collection.', es: 'Lo que contiene una colección.' },
  { text: 'i~', en: 'Pictures of the same theme.', es: 'Imágenes del mismo tema.' },
  {
    text: 'i~~',
    en: 'Pictures of the same subject and composition.',
    es: 'Imágenes con el mismo motivo y la misma composición.',
  },
  { text: 'i~~~', en: 'Pictures of nearly the same scene.', es: 'Imágenes de casi la misma escena.' },
  { text: 'i=', en: 'Edits of a picture.', es: 'Versiones editadas de una imagen.' },
  { text: 'i==', en: 'The same picture, re-encoded.', es: 'La misma imagen, codificada de nuevo.' },
  { text: 'i===', en: 'The same picture, nearly to the pixel.', es: 'La misma imagen, casi píxel por píxel.' },
];

/** Returns the prefixes of terms that are not fields. */
export function completePrefix(part: string, locale: Locale): Completion[] {
  return prefixes
    .filter(({ text }) => text.startsWith(part.toLowerCase()))
    .map(({ text, [locale]: description }) => ({ text, kind: 'flag', description, count: null }));
}
