/** The kinds of records. */
export const resources = ['image', 'video'] as const;
export type Resource = (typeof resources)[number];

/** The type of a field's values. `text` is prose; a `keyword` is compared as a whole; a `duration` is in seconds. */
export type FieldType = 'text' | 'keyword' | 'list' | 'boolean' | 'date' | 'integer' | 'number' | 'duration' | 'time';

/** Who sets a field: the caller, or Vitrine by reading the file. */
type FieldAccess = 'identifier' | 'write' | 'read';

/** The languages that formulas are explained in. */
export const locales = ['en', 'es'] as const;
export type Locale = (typeof locales)[number];

/** A name in each locale. */
export type Label = Readonly<Record<Locale, string>>;

/** PostgreSQL's weight classes. */
export type TextWeight = 'A' | 'B' | 'C' | 'D';

export type Field = Readonly<{
  /** The name in the contract, in formulas and in the database. */
  name: string;
  /** The name in TypeScript and GraphQL. */
  property: string;
  type: FieldType;
  access: FieldAccess;
  /** The SQL expression for its value: the column with its name, unless the row specifies another. */
  sql: string;
  /** Whether `sort_by` accepts it. */
  sort: boolean;
  /** Whether every record has a value. */
  isPresent: boolean;
  /** Whether its values are absolute http or https URLs. */
  isUrl: boolean;
  /** Maximum length of a text in code points. */
  maxLength: number;
  /** Whether formulas can use it. */
  inFormulas: boolean;
  /** Whether `facets` accepts it. */
  facet: boolean;
  /** Its weight in searches for bare text, A being the heaviest; null if bare text does not search it. */
  weight: TextWeight | null;
  /** Whether REST reads and writes it. */
  inRest: boolean;
  description: string;
  /** The noun for its value in a sentence, in the singular. */
  label: Label;
}>;

const longText = 10_000;

type SharedField = Omit<Field, 'sort'>;

/** A row of the field table: a field, the resources that have it, and those that can be sorted by it. */
export type Row = Readonly<{ field: SharedField; of: readonly Resource[]; sort: readonly Resource[] }>;

export type FieldOptions = Partial<
  Omit<SharedField, 'name' | 'property' | 'type' | 'description' | 'label'> & Omit<Row, 'field'> & Label
>;

/**
 * Returns the row of a field. Unless the options say otherwise, all records have it, callers write it, and formulas
 * search it.
 */
export function field(
  name: string,
  type: FieldType,
  description: string,
  { of = resources, sort = [], en = name.replaceAll('_', ' '), es = '', ...options }: FieldOptions = {},
): Row {
  const property = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const own: SharedField = {
    name,
    property,
    type,
    access: 'write',
    sql: name,
    isPresent: false,
    isUrl: false,
    maxLength: longText,
    inFormulas: true,
    facet: false,
    weight: null,
    inRest: true,
    description,
    label: { en, es },
    ...options,
  };
  return { field: own, of, sort };
}
