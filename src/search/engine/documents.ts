import type { Database } from '../../backing/index.ts';
import { formulaFields } from '../../catalog/index.ts';
import type { FormulaField, Resource } from '../../catalog/index.ts';
import { fold } from '../formula/words.ts';
import { accessOf, attributeOf, engineFieldsOf, textAttributes } from './attributes.ts';
import { readTexts, readWords } from './lexemes.ts';
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
const fields = { image: engineFieldsOf('image'), video: engineFieldsOf('video') };

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
  for (const field of fields[resource]) {
    const value = row[`v_${field.name}`];
    if (isMissing(value)) continue;
    has.push(field.name);
    addValue(field, value, row, values, terms);
  }
  const id = Buffer.from(row.key).subarray(0, keyBytes).toString('hex');
  return {
    id: row.row_id,
    tenant: row.tenant_id,
    key: id,
    tokens: tokensOf(row),
    terms,
    has,
    ...textsOf(row),
    ...values,
  };
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** What is compared or counted of a value; the engine is never given null, '' or [] there. */
function addValue(
  field: FormulaField,
  value: unknown,
  row: Row,
  values: Record<string, unknown>,
  terms: string[],
): void {
  const { name, facet } = field;
  const access = accessOf(field);
  if (access === 'number' || access === 'time') values[attributeOf.number(name)] = value;
  if (access === 'date') {
    values[attributeOf.from(name)] = value;
    values[attributeOf.to(name)] = row[`v_${name}_end`];
  }
  // Fields that are counted have their terms in the row already.
  if (access === 'terms' && !facet) terms.push(encodeToken(`${name}=${fold(String(value))}`));
  if (access === 'color') values['color'] = strongestShares(value as readonly Share[]);
  if (facet || access === 'value') {
    const facets = Array.isArray(value) ? value.map((each) => encodeFacet(String(each))) : encodeFacet(String(value));
    values[attributeOf.facet(name)] = facets;
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
function tokensOf({ words, stems }: Row): string[] {
  const stemmed = new Set(readWords(stems ?? ''));
  const plain = new Set(readWords(words ?? ''));
  const own = [...plain].map((word) => encodeToken(`${stemmed.has(word) ? '=' : 'w:'}${word}`));
  const others = [...stemmed].filter((stem) => !plain.has(stem)).map((stem) => encodeToken(`s:${stem}`));
  return [...own, ...others];
}

function textsOf({ words }: Row): Record<string, readonly string[]> {
  const texts = readTexts(words ?? '');
  const own: Record<string, readonly string[]> = {};
  for (const [index, weight] of ['A', 'B', 'C', 'D'].entries()) {
    const values = texts[weight] ?? [];
    if (values.length > 0) own[textAttributes[index] ?? ''] = values;
  }
  return own;
}

/** The fields that bare text looks in. */
export function bareFieldsOf(resource: Resource): string[] {
  return formulaFields
    .filter(({ weight, sql }) => weight !== null && sql[resource] !== undefined)
    .map(({ name }) => name);
}
