import type { Database } from '../../backing/index.ts';
import type { FormulaField, Resource } from '../../catalog/index.ts';
import { fold } from '../formula/words.ts';
import { accessOf, attributeOf, engineFieldsOf, textAttributes } from './attributes.ts';
import type { EngineAccess } from './attributes.ts';
import { readLexemes, textsOf, wordsOf } from './lexemes.ts';
import type { Lexeme } from './lexemes.ts';
import { encodeFacet, encodeToken } from './tokens.ts';

/** What the engine keeps of a record. */
export type EngineDocument = Readonly<{ id: number; tenant: number }> & Readonly<Record<string, unknown>>;

/** A row as `selectOf` reads it: values of fields under `v_` and their names. */
type Row = Readonly<{
  row_id: number;
  tenant_id: number;
  key: string;
  terms: string[] | null;
  words: string | null;
  stems: string | null;
}> &
  Readonly<Record<string, unknown>>;

/** Bytes of an id that order ties; the engine cuts values at 468. */
const keyBytes = 230;

/** The expressions that a document is made of. */
function columnsOf(field: FormulaField, resource: Resource): string[] {
  const { name, kind } = field;
  const sql = field.sql[resource] ?? 'NULL';
  const as = (expression: string, alias = name) => `${expression} AS "v_${alias}"`;
  switch (accessOf(field)) {
    case 'date': {
      const days = (part: string) => `(${sql}_${part} - DATE '1970-01-01')`;
      return [as(days('start')), as(days('end'), `${name}_end`)];
    }
    case 'time':
      return [as(`(extract(epoch FROM ${sql}) * 1000)::bigint`)];
    case 'number':
      return [as(`(${sql})::float8`)];
    case 'presence':
      return [as(field.facet ? sql : kind === 'list' ? `cardinality(${sql}) > 0` : `NULLIF(${sql} <> '', false)`)];
    default:
      return [as(sql)];
  }
}

function selectOf(resource: Resource): string {
  const columns = engineFieldsOf(resource).flatMap((field) => columnsOf(field, resource));
  return `SELECT row_id, tenant_id, ${resource}_id AS key, terms, words::text, stems::text, ${columns.join(', ')} FROM ${resource}`;
}

const selects = { image: selectOf('image'), video: selectOf('video') };

/** What becomes of a field, with the names that this takes: documents are made by the million. */
type Shape = Readonly<{
  name: string;
  access: EngineAccess | null;
  value: string;
  end: string;
  facet: string | null;
  number: string;
  from: string;
  to: string;
  /** Before its terms, where the row does not have them already. */
  term: string | null;
}>;

function shapesOf(resource: Resource): readonly Shape[] {
  return engineFieldsOf(resource).map((field): Shape => {
    const { name, facet } = field;
    const access = accessOf(field);
    return {
      name,
      access,
      value: `v_${name}`,
      end: `v_${name}_end`,
      facet: facet || access === 'value' ? attributeOf.facet(name) : null,
      number: attributeOf.number(name),
      from: attributeOf.from(name),
      to: attributeOf.to(name),
      term: access === 'terms' && !facet ? `${name}=` : null,
    };
  });
}

const shapes = { image: shapesOf('image'), video: shapesOf('video') };

/** The documents of records as they are now; those that are gone have none. */
export async function readDocuments(
  { pool }: Database,
  resource: Resource,
  rowIds: readonly string[],
): Promise<EngineDocument[]> {
  const text = `${selects[resource]} WHERE row_id = ANY ($1::bigint[])`;
  const { rows } = await pool.query<Row>({ name: `engine-${resource}s`, text, values: [rowIds] });
  return rows.map((row) => toDocument(row, resource));
}

/** The documents of the records after a number, by number. */
export async function readDocumentsAfter(
  { pool }: Database,
  resource: Resource,
  after: number,
  limit: number,
): Promise<EngineDocument[]> {
  const text = `${selects[resource]} WHERE row_id > $1 ORDER BY row_id LIMIT $2`;
  const { rows } = await pool.query<Row>({ name: `engine-all-${resource}s`, text, values: [after, limit] });
  return rows.map((row) => toDocument(row, resource));
}

function toDocument(row: Row, resource: Resource): EngineDocument {
  const terms = (row.terms ?? []).map(encodeToken);
  const has: string[] = [];
  const values: Record<string, unknown> = {};
  for (const shape of shapes[resource]) {
    const value = row[shape.value];
    if (isMissing(value)) continue;
    has.push(shape.name);
    addValue(shape, value, row, values);
    if (shape.term !== null) terms.push(encodeToken(shape.term + fold(String(value))));
  }
  const words = readLexemes(row.words ?? '');
  return {
    id: row.row_id,
    tenant: row.tenant_id,
    key: Buffer.from(row.key).subarray(0, keyBytes).toString('hex'),
    tokens: tokensOf(words, readLexemes(row.stems ?? '')),
    terms,
    has,
    ...textAttributesOf(words),
    ...values,
  };
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** What is compared or counted of a value; the engine is never given null, '' or [] there. */
function addValue(shape: Shape, value: unknown, row: Row, values: Record<string, unknown>): void {
  const { access, facet } = shape;
  if (access === 'number' || access === 'time') values[shape.number] = value;
  if (access === 'date') {
    values[shape.from] = value;
    values[shape.to] = row[shape.end];
  }
  if (access === 'color') values['color'] = strongestShares(value as readonly Share[]);
  if (facet !== null) {
    values[facet] = Array.isArray(value) ? value.map((each) => encodeFacet(String(each))) : encodeFacet(String(value));
  }
}

type Share = Readonly<{ name: string; percent: number }>;

/** A formula asks whether some share of a colour is large enough: the largest tells. */
function strongestShares(shares: readonly Share[]): Record<string, number> {
  const strongest: Record<string, number> = {};
  for (const { name, percent } of shares) strongest[name] = Math.max(percent, strongest[name] ?? percent);
  return strongest;
}

/**
 * The words and stems of a record as tokens: `=sun` is both, `w:suns` a word alone, `s:sun` a stem alone. Most words are
 * their own stems, so this is little more than half of two lists.
 */
function tokensOf(words: readonly Lexeme[], stems: readonly Lexeme[]): string[] {
  const stemmed = new Set(wordsOf(stems));
  const tokens: string[] = [];
  for (const word of wordsOf(words)) tokens.push(encodeToken(stemmed.delete(word) ? `=${word}` : `w:${word}`));
  for (const stem of stemmed) tokens.push(encodeToken(`s:${stem}`));
  return tokens;
}

function textAttributesOf(words: readonly Lexeme[]): Record<string, readonly string[]> {
  const texts = textsOf(words);
  const own: Record<string, readonly string[]> = {};
  for (const [index, weight] of ['A', 'B', 'C', 'D'].entries()) {
    const values = texts[weight] ?? [];
    if (values.length > 0) own[textAttributes[index] ?? ''] = values;
  }
  return own;
}
