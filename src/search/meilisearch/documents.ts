import type { CustomTypesConfig } from 'pg';
import type { Database } from '../../backing/index.ts';
import { parseTexts } from '../../backing/index.ts';
import type { FormulaField, FormulaKind, Resource } from '../../catalog/index.ts';
import { fold } from '../formula/words.ts';
import { accessOf, attributeOf, meilisearchFieldsOf, textAttributes } from './attributes.ts';
import { readLexemes, textsOf, lexemeWords } from './lexemes.ts';
import type { Lexemes } from './lexemes.ts';
import { encodeFacet, encodeTokens } from './tokens.ts';

/**
 * The Meilisearch document of a record, as a line of JSON. The text is built directly, because filling an index takes
 * millions of them, and most values are sent the way PostgreSQL prints them.
 */
export type DocumentRow = Readonly<{ id: number; json: string }>;

/** Columns of a row as PostgreSQL prints them: first those of every record, then those of its fields. */
type Row = readonly (string | null)[];

/**
 * Bytes of an id that break ties in the order. As hexadecimal digits they stay below 468, where Meilisearch cuts
 * values.
 */
const keyBytes = 230;

/** Returns the columns of every record, in the order that `toLine` expects. */
function recordExpressions(resource: Resource): readonly string[] {
  const key = `encode(substr(convert_to(${resource}_id, 'UTF8'), 1, ${keyBytes}), 'hex')`;
  return ['row_id', 'tenant_id', key, 'terms', 'words', 'strip(stems)'];
}

/** Returns the SQL expressions that a field needs in a document. */
function expressionsOf(field: FormulaField, resource: Resource): readonly string[] {
  const sql = field.sql[resource] ?? 'NULL';
  switch (accessOf(field)) {
    case 'date':
      return ['start', 'end'].map((part) => `${sql}_${part} - DATE '1970-01-01'`);
    case 'time':
      return [`(extract(epoch FROM ${sql}) * 1000)::bigint`];
    case 'number':
      return [`(${sql})::float8`];
    case 'presence':
      return [field.facet ? sql : `NULLIF(${sql} <> '', false)`];
    default:
      return [sql];
  }
}

/** What a field adds to a document: printed values, and terms. */
type Parts = { values: string; terms: string[] };

/** A field of documents: its first column, and how its value, if present, is printed. */
type FieldWriter = Readonly<{
  name: string;
  column: number;
  /** How the absence of a value is printed; the value is never sent to Meilisearch. */
  missing: string;
  write: (value: string, row: Row, parts: Parts) => void;
}>;

const missing: Partial<Record<FormulaKind, string>> = { list: '{}', color: '[]' };

const quoteFacet = (value: string) => `"${encodeFacet(value)}"`;

/** How values are formatted for counting; other kinds are formatted as single texts. */
const facetFormats: Partial<Record<FormulaKind, (value: string) => string>> = {
  list: (value) => quoteAll(parseTexts(value).map(encodeFacet)),
  boolean: (value) => quoteFacet(value === 't' ? 'true' : 'false'),
};

function writerOf(field: FormulaField, column: number): FieldWriter['write'] {
  const { name, kind } = field;
  const access = accessOf(field);
  const [number, from, to] = [attributeOf.number(name), attributeOf.from(name), attributeOf.to(name)];
  switch (access) {
    case 'number':
    case 'time':
      return (value, _row, parts) => void (parts.values += `,"${number}":${finite(value)}`);
    case 'date':
      return (value, row, parts) => void (parts.values += `,"${from}":${value},"${to}":${row[column + 1] ?? 'null'}`);
    case 'color':
      return (value, _row, parts) => void (parts.values += `,"color":${fractionsOfColors(value)}`);
    default:
      break;
  }
  const isFacet = field.facet || access === 'value';
  if (!isFacet) {
    // The terms of facets are in the row already.
    if (access !== 'terms') return () => {};
    const textsIn = kind === 'list' ? parseTexts : (value: string) => [value];
    return (value, _row, parts) => void parts.terms.push(...textsIn(value).map((text) => `${name}=${fold(text)}`));
  }
  const facet = attributeOf.facet(name);
  const formatFacet = facetFormats[kind] ?? quoteFacet;
  return (value, _row, parts) => void (parts.values += `,"${facet}":${formatFacet(value)}`);
}

/** Replaces NaN and Infinity by null, because JSON does not have them. */
function finite(value: string): string {
  return Number.isFinite(Number(value)) ? value : 'null';
}

type Share = Readonly<{ name: string; percent: number }>;

/** Returns the fraction of each color; formulas test whether it is large enough. */
function fractionsOfColors(value: string): string {
  const shares: Record<string, number> = {};
  for (const { name, percent } of JSON.parse(value) as readonly Share[]) {
    // Fractions have one decimal, and their sum must have no more.
    shares[name] = Math.round(((shares[name] ?? 0) + percent) * 10) / 10;
  }
  return JSON.stringify(shares);
}

/** How the documents of a resource are read and written. */
type Shape = Readonly<{ select: string; writers: readonly FieldWriter[] }>;

function shapeOf(resource: Resource): Shape {
  const expressions = [...recordExpressions(resource)];
  const writers = meilisearchFieldsOf(resource).map((field): FieldWriter => {
    const column = expressions.length;
    expressions.push(...expressionsOf(field, resource));
    const { name, kind } = field;
    return { name, column, missing: missing[kind] ?? '', write: writerOf(field, column) };
  });
  return { select: `SELECT ${expressions.join(', ')} FROM ${resource}`, writers };
}

const shapes: Readonly<Record<Resource, Shape>> = { image: shapeOf('image'), video: shapeOf('video') };

/** Leaves every value the way PostgreSQL prints it. */
const printed: CustomTypesConfig = { getTypeParser: () => String };

/** Reads the current documents of records; deleted ones have none. */
export function readDocuments(
  database: Database,
  resource: Resource,
  rowIds: readonly string[],
): Promise<DocumentRow[]> {
  const text = `${shapes[resource].select} WHERE row_id = ANY ($1::bigint[])`;
  return readLines(database, resource, { name: `documents-${resource}s`, text, values: [rowIds] });
}

/** Reads the documents of the records after a row id, in order of row id. */
export function readDocumentsAfter(
  database: Database,
  resource: Resource,
  after: number,
  limit: number,
): Promise<DocumentRow[]> {
  const text = `${shapes[resource].select} WHERE row_id > $1 ORDER BY row_id LIMIT $2`;
  return readLines(database, resource, { name: `documents-after-${resource}s`, text, values: [after, limit] });
}

/** Reads the row ids of the records after a row id, in order. */
export async function readRowIdsAfter(
  { pool }: Database,
  resource: Resource,
  after: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: `row-ids-after-${resource}s`,
    text: `SELECT row_id AS id FROM ${resource} WHERE row_id > $1 ORDER BY row_id LIMIT $2`,
    values: [after, limit],
  });
  return rows.map(({ id }) => Number(id));
}

type Query = Readonly<{ name: string; text: string; values: unknown[] }>;

async function readLines({ pool }: Database, resource: Resource, query: Query): Promise<DocumentRow[]> {
  const { rows } = await pool.query<(string | null)[]>({ ...query, types: printed, rowMode: 'array' });
  return rows.map((row) => toLine(row, shapes[resource]));
}

function toLine(row: Row, { writers }: Shape): DocumentRow {
  const [id = '', tenant = '', key = '', terms, words, stems] = row;
  const parts: Parts = { values: '', terms: parseTexts(terms ?? '{}') };
  const has: string[] = [];
  for (const { name, column, missing, write } of writers) {
    const value = row[column] ?? missing;
    if (value === missing) continue;
    has.push(name);
    write(value, row, parts);
  }
  const lexemes = readLexemes(words ?? '');
  const tokens = quoteAll(encodeTokens(tokensOf(lexemes, readLexemes(stems ?? ''))));
  const head = `{"id":${id},"tenant":${tenant},"key":"${key}","tokens":${tokens}`;
  const json = `${head},"terms":${quoteAll(encodeTokens(parts.terms))},"has":${quoteAll(has)}${formatTexts(lexemes)}${parts.values}}`;
  return { id: Number(id), json };
}

/** Quotes without escaping: encoded texts (see tokens.ts) and field names contain nothing that JSON has to escape. */
function quoteAll(spellings: readonly string[]): string {
  return spellings.length === 0 ? '[]' : `["${spellings.join('","')}"]`;
}

/**
 * Returns the words and stems of a record as tokens: `=sun` is both, `w:suns` only a word, `s:sun` only a stem. Most
 * words are their own stems, so this takes little more than half the space of two lists.
 */
function tokensOf(words: Lexemes, stems: Lexemes): string[] {
  const stemmed = new Set(lexemeWords(stems));
  const tokens: string[] = [];
  for (const word of lexemeWords(words)) tokens.push(stemmed.delete(word) ? `=${word}` : `w:${word}`);
  for (const stem of stemmed) tokens.push(`s:${stem}`);
  return tokens;
}

function formatTexts(words: Lexemes): string {
  let printed = '';
  for (const [weight, texts] of textsOf(words).entries()) {
    if (texts.length > 0) printed += `,"${textAttributes[weight]}":${JSON.stringify(texts)}`;
  }
  return printed;
}
