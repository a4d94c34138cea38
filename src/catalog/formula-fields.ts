import { allFields } from './fields.ts';
import type { Label } from './field.ts';
import type { FieldType, Resource, TextWeight } from './fields.ts';

/** How the values of a field are written and compared in formulas. */
export type FormulaKind =
  'text' | 'keyword' | 'list' | 'number' | 'ratio' | 'duration' | 'date' | 'time' | 'boolean' | 'enum' | 'color';

export type FormulaField = Readonly<{
  /** The name in formulas. */
  name: string;
  kind: FormulaKind;
  /** The SQL expression for its value, for each resource that has the field. */
  sql: Readonly<Partial<Record<Resource, string>>>;
  /** Whether values that differ only in case or accents count as different, as for ids. */
  isExact: boolean;
  /** For an enumeration: every value. */
  values: readonly string[];
  weight: TextWeight | null;
  facet: boolean;
  /** The resources with a dedicated index on the folded values of this field, newest records of each value first. */
  indexed: readonly Resource[];
  /** The resources that also have an index with the latest dates of each value first. */
  indexedByDate: readonly Resource[];
  description: string;
  /** The noun for its value in a sentence, in the singular. */
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

/** How formulas write values of each type. */
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

/** Fields that whole catalogs are counted by most often: each has an index `image_by_*_idx`. */
const indexedOfImages = ['country', 'city', 'author', 'status', 'provider', 'medium'];
/** Fields whose matches are paged by date: each has an index `image_*_by_date_idx`. */
const datedOfImages = ['country', 'city', 'author', 'provider'];

/** The sides of a square differ by at most 5 %; a panorama is at least twice as wide as it is high. */
const orientation = `CASE WHEN width >= 2 * height THEN 'panorama'
  WHEN 100 * greatest(width, height) <= 105 * least(width, height) THEN 'square'
  WHEN width > height THEN 'landscape' ELSE 'portrait' END`;

/** The part after the last slash of the path, or of the URL without its query and fragment. */
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
    es: 'relación de aspecto',
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

/** All fields that formulas can use, for any resource: the fields of records, and those derived from them. */
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

/** Returns the fields that formulas can use for a resource. */
export function formulaFieldsOf(resource: Resource): readonly FormulaField[] {
  return ofResource[resource];
}

/** Returns the fields of a resource that bare text searches. */
export function bareFieldsOf(resource: Resource): readonly FormulaField[] {
  return ofResource[resource].filter(({ weight }) => weight !== null);
}

/** Other names of fields, for where the formula language uses another word: `has:lock`. */
const aliases: ReadonlyMap<string, string> = new Map([['lock', 'locked']]);

/** Finds a field by its lower-case name, whichever resource has it. */
export function findFormulaField(name: string): FormulaField | null {
  return byName.get(aliases.get(name) ?? name) ?? null;
}
