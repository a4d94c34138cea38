import { allFields } from './fields.ts';
import type { Label } from './field.ts';
import type { FieldType, Resource, TextWeight } from './fields.ts';

/** How the values of a field are written and compared in formulas. */
export type FormulaKind =
  'text' | 'keyword' | 'list' | 'number' | 'ratio' | 'duration' | 'date' | 'time' | 'boolean' | 'enum' | 'color';

export type FormulaField = Readonly<{
  /** As formulas name it. */
  name: string;
  kind: FormulaKind;
  /** The SQL expression that holds its value, for each resource that has the field. */
  sql: Readonly<Partial<Record<Resource, string>>>;
  /** Two values that differ in letter case or accents are two values, as for ids. */
  isExact: boolean;
  /** Of an enumeration: every value. */
  values: readonly string[];
  weight: TextWeight | null;
  facet: boolean;
  /** The resources whose folded values of this field are in an index of their own, the newest records of each first. */
  indexed: readonly Resource[];
  /** Those that have one with the latest dates of each value first as well. */
  indexedByDate: readonly Resource[];
  description: string;
  /** What a sentence calls its value, in the singular. */
  label: Label;
}>;

type Options = Partial<Pick<FormulaField, 'isExact' | 'values' | 'weight' | 'facet' | 'indexed' | 'indexedByDate'>>;

function row(
  name: string,
  kind: FormulaKind,
  sql: FormulaField['sql'],
  description: string,
  label: Label,
  options: Options = {},
): FormulaField {
  return {
    name,
    kind,
    sql,
    isExact: false,
    values: [],
    weight: null,
    facet: false,
    indexed: [],
    indexedByDate: [],
    description,
    label,
    ...options,
  };
}

const both = (sql: string) => ({ image: sql, video: sql });

/** How values of each type are written. */
export const formulaKindOf: Readonly<Record<FieldType, FormulaKind>> = {
  text: 'text',
  keyword: 'keyword',
  list: 'list',
  boolean: 'boolean',
  date: 'date',
  integer: 'number',
  number: 'number',
  duration: 'duration',
  time: 'time',
};

/** What whole catalogs are counted by most often: each has an index `image_by_*_idx`. */
const indexedOfImages = ['country', 'city', 'author', 'status', 'provider', 'medium'];
/** What pages are sorted by date of: each has an index `image_*_by_date_idx`. */
const datedOfImages = ['country', 'city', 'author', 'provider'];

/** Every side of a square is within 5 % of the other; a panorama is at least twice as wide as high. */
const orientation = `CASE WHEN width >= 2 * height THEN 'panorama'
  WHEN 100 * greatest(width, height) <= 105 * least(width, height) THEN 'square'
  WHEN width > height THEN 'landscape' ELSE 'portrait' END`;

/** What stands behind the last slash of the path, or of the address without its query. */
const fileName = `regexp_replace(COALESCE(src_path, split_part(split_part(src, '?', 1), '#', 1)), '^.*/', '')`;

const derived: readonly FormulaField[] = [
  row(
    'id',
    'keyword',
    { image: 'image_id', video: 'video_id' },
    'Identifier of the record.',
    { en: 'id', es: 'identificador' },
    { isExact: true },
  ),
  row('ocr', 'text', both('ocr'), 'Text read in the picture (OCR); bare text does not search it.', {
    en: 'text read in the picture',
    es: 'texto leído en la imagen',
  }),
  row('file', 'text', both(`(${fileName})`), 'File name without folders; bare text does not search it.', {
    en: 'file name',
    es: 'nombre del archivo',
  }),
  row('text', 'text', both(''), 'The fields that bare text searches.', { en: 'text', es: 'texto' }),
  row('locked', 'list', both('locked_fields'), 'Names of locked fields; `has:lock` finds records with any.', {
    en: 'locked field',
    es: 'campo bloqueado',
  }),
  row('keywords.count', 'number', both('COALESCE(cardinality(keywords), 0)'), 'Number of keywords.', {
    en: 'number of keywords',
    es: 'número de palabras clave',
  }),
  row('aspect_ratio', 'ratio', both('(width::float8 / NULLIF(height, 0))'), 'Width divided by height, ±1 %.', {
    en: 'aspect ratio',
    es: 'proporción',
  }),
  row(
    'orientation',
    'enum',
    both(`(${orientation})`),
    'Shape, by width and height.',
    { en: 'orientation', es: 'orientación' },
    {
      values: ['landscape', 'portrait', 'square', 'panorama'],
      facet: true,
    },
  ),
  row('color', 'color', both('colors'), 'A dominant color by name or hex digits, with its minimum percentage.', {
    en: 'color',
    es: 'color',
  }),
  row(
    'bw',
    'boolean',
    both('bw'),
    'Whether the picture is black and white.',
    { en: 'black and white', es: 'blanco y negro' },
    { facet: true },
  ),
  row('ai_status', 'keyword', both('ai_status'), 'State of the analysis.', {
    en: 'analysis status',
    es: 'estado del análisis',
  }),
];

/** Everything that formulas can ask for, of whichever resource: the fields of records, and what follows from them. */
export const formulaFields: readonly FormulaField[] = [
  ...allFields
    .filter(({ field }) => field.inFormulas)
    .map(({ field: { name, type, access, sql, weight, facet, description, label }, of }) => {
      const places = Object.fromEntries(of.map((resource) => [resource, sql]));
      return row(name, formulaKindOf[type], places, description, label, {
        isExact: access === 'identifier',
        weight,
        facet,
        indexed: indexedOfImages.includes(name) ? ['image'] : [],
        indexedByDate: datedOfImages.includes(name) ? ['image'] : [],
      });
    }),
  ...derived,
];

const byName = new Map(formulaFields.map((field) => [field.name, field]));

const ofResource = {
  image: formulaFields.filter(({ sql }) => sql.image !== undefined),
  video: formulaFields.filter(({ sql }) => sql.video !== undefined),
} as const satisfies Record<Resource, readonly FormulaField[]>;

/** What formulas can ask for of a resource. */
export function formulaFieldsOf(resource: Resource): readonly FormulaField[] {
  return ofResource[resource];
}

/** Those of them that bare text searches. */
export function bareFieldsOf(resource: Resource): readonly FormulaField[] {
  return ofResource[resource].filter(({ weight }) => weight !== null);
}

/** Other names of fields, where another word of the language is needed: `has:lock`. */
const aliases: ReadonlyMap<string, string> = new Map([['lock', 'locked']]);

/** The field of a name in lower case, whatever resource has it. */
export function findFormulaField(name: string): FormulaField | null {
  return byName.get(aliases.get(name) ?? name) ?? null;
}
