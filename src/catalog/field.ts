/** What a record is of. */
export const resources = ['image', 'video'] as const;
export type Resource = (typeof resources)[number];

/** What values a field holds. `text` is prose, `keyword` a value that is compared as a whole, `duration` seconds. */
export type FieldType = 'text' | 'keyword' | 'list' | 'boolean' | 'date' | 'integer' | 'number' | 'duration' | 'time';

/** Who sets a field: the caller, or Vitrine from the file. */
export type FieldAccess = 'identifier' | 'write' | 'read';

/** The languages that formulas are explained in. */
export const locales = ['en', 'es'] as const;
export type Locale = (typeof locales)[number];

/** A name in each of them. */
export type Label = Readonly<Record<Locale, string>>;

/** PostgreSQL's classes of weight. */
export type TextWeight = 'A' | 'B' | 'C' | 'D';

export type Field = Readonly<{
  /** The name in the contract, in formulas and in the database. */
  name: string;
  /** The name in TypeScript and GraphQL. */
  property: string;
  type: FieldType;
  access: FieldAccess;
  /** The SQL expression of its value: the column of its name, where the row says nothing else. */
  sql: string;
  /** Whether `sort_by` accepts it. */
  sort: boolean;
  /** Whether every record has a value. */
  isPresent: boolean;
  /** Whether its values are absolute addresses of http or https. */
  isUrl: boolean;
  /** Longest text in code points. */
  maxLength: number;
  /** Whether formulas can ask for it. */
  inFormulas: boolean;
  /** Whether `facets` accepts it. */
  facet: boolean;
  /** Its weight in bare text, A the heaviest; null where bare text does not search. */
  weight: TextWeight | null;
  /** Whether REST reads and writes it. */
  inRest: boolean;
  description: string;
  /** What a sentence calls its value, in the singular. */
  label: Label;
}>;

const longText = 10_000;

export type SharedField = Omit<Field, 'sort'>;

/** A row of the table: a field, which records have it, and which can be sorted by it. */
export type Row = Readonly<{ field: SharedField; of: readonly Resource[]; sort: readonly Resource[] }>;

export type FieldOptions = Partial<
  Omit<SharedField, 'name' | 'property' | 'type' | 'description' | 'label'> & Omit<Row, 'field'> & Label
>;

/** A field of all records that callers write and formulas search, but for what the options say. */
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
