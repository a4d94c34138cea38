import { printableTypes } from '../backing/index.ts';
import { fieldsOf, selectList } from '../catalog/index.ts';
import type { FieldType, RecordRow, Resource } from '../catalog/index.ts';
import { AppError } from '../errors.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../tenants/index.ts';
import { decodeCursor, encodeCursor, invalidCursor } from './cursor.ts';
import { asksSimilarity, createParameters, relevanceOf, statementOf, whereOf } from './question.ts';
import type { Parameters, Question } from './question.ts';

/** Rows that a page number can reach; deeper, a cursor goes on at any depth. */
export const maxDepth = 100_000;

export type SortOrder = 'asc' | 'desc';

export type ListOptions = Readonly<{
  page: number;
  limit: number;
  /** A field of the table; '' for the best answers to bare text first, or the newest where there is none. */
  sortBy: string;
  sortOrder: SortOrder;
  /** Goes on after the last row of an earlier page; the page number is then not used. */
  cursor: string | null;
  /** Properties that the reader asked for. */
  properties: readonly string[];
  /** Whether the reader asked for the cursor of the next page. */
  withCursor: boolean;
}>;

/** A page of the records that answer a question, which its count and facets are about. */
export type RecordPage = Readonly<{ results: RecordRow[]; cursor: string | null; question: Question }>;

const similaritySorts = ['similarity', 'sim'];

/** What can be sorted by beside fields of the record. */
const otherSorts: Readonly<Record<Resource, readonly string[]>> = {
  image: ['aspect_ratio', ...similaritySorts],
  video: [],
};

const sortable = { image: sortableOf('image'), video: sortableOf('video') };

function sortableOf(resource: Resource) {
  return new Map(fieldsOf[resource].filter(({ sort }) => sort).map((field) => [field.name, field]));
}

/** What `sort_by` accepts for a resource, '' among it. */
export function sortsOf(resource: Resource): readonly string[] {
  return ['', ...sortable[resource].keys(), ...otherSorts[resource]];
}

/** The type of a field's values as a parameter of SQL; text where none is named. */
const parameterTypes: Partial<Record<FieldType, string>> = { integer: 'integer', number: 'float8', duration: 'float8' };

/** Name, expression, its type for parameters, direction, and whether it can be missing. */
type Sort = Readonly<{ name: string; column: string; type: string; order: SortOrder; isNullable: boolean }>;

/**
 * One page of the tenant's records that answer a question. Ties are broken by id, missing values come
 * last in both orders.
 *
 * @throws AppError `page_too_deep`, `sort_requires_similarity`, or `invalid_argument` for a cursor that is
 * not one of ours.
 */
export async function listRecords(db: TenantDb, question: Question, options: ListOptions): Promise<RecordPage> {
  const { resource } = question;
  const { limit, properties, withCursor } = options;
  const id = `${resource}_id`;
  const parameters = createParameters();
  const { values, parameter } = parameters;
  const where = whereOf(question, parameter);
  const sort = toSort(question, options, parameters);
  const order = { column: `${sort.name}${question.digest}`, order: sort.order };
  const after = options.cursor === null ? '' : afterCursor(sort, id, decodeCursor(options.cursor, order), parameter);
  const offset = options.cursor === null ? toOffset(options) : 0;
  const place = withCursor ? `, ${id} AS "_id", (${sort.column})::text AS "_key"` : '';
  const text = `SELECT ${selectList(resource, properties)}${place} FROM ${resource} WHERE ${where}${after}
    ORDER BY ${sort.column} ${sort.order}${sort.isNullable ? ' NULLS LAST' : ''}, ${id}
    LIMIT ${parameter(limit + 1)} OFFSET ${parameter(offset)}`;
  const found = await db
    .query<RecordRow & Keys>(statementOf(question, text, printableTypes), values)
    .catch((error: unknown) => {
      throw options.cursor !== null && isDataFault(error) ? invalidCursor() : error;
    });
  const rows = found.rows.slice(0, limit);
  const last = found.rows.length > limit ? rows.at(-1) : undefined;
  const cursor = last === undefined ? null : encodeCursor(order, { key: last._key, id: last._id });
  return { results: rows, cursor, question };
}

/** What the cursor after a row is made of. */
type Keys = Readonly<{ _id: string; _key: string | null }>;

/** A value that its column cannot hold, such as a width 'abc': a cursor that we never gave names it. */
function isDataFault(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('22');
}

const counts = { image: countStatement('image'), video: countStatement('video') };

function countStatement(resource: Resource): TenantStatement {
  return tenantStatement(`count-${resource}s`, `SELECT count(*) AS count FROM ${resource} WHERE tenant_id = $1`);
}

/** How many of the tenant's records answer the question, exactly. */
export async function countRecords(db: TenantDb, question: Question): Promise<number> {
  const { values, parameter } = createParameters();
  const statement =
    question.condition === null
      ? counts[question.resource]
      : statementOf(
          question,
          `SELECT count(*) AS count FROM ${question.resource} WHERE ${whereOf(question, parameter)}`,
        );
  const { rows } = await db.query<{ count: number }>(statement, values);
  return rows[0]?.count ?? 0;
}

function toSort(question: Question, { sortBy, sortOrder: order }: ListOptions, parameters: Parameters): Sort {
  if (similaritySorts.includes(sortBy) && !asksSimilarity(question)) {
    const message = 'Sorting by similarity needs a similarity term in q';
    throw new AppError('sort_requires_similarity', message, { argument: 'sortBy', input: sortBy });
  }
  if (sortBy === '') return bestFirst(question, order, parameters);
  if (sortBy === 'aspect_ratio') {
    const column = '(width::float8 / NULLIF(height, 0))';
    return { name: sortBy, column, type: 'float8', order, isNullable: true };
  }
  const field = sortable[question.resource].get(sortBy);
  if (field === undefined)
    throw new AppError('invalid_argument', `There is no order of ${question.resource}s by '${sortBy}'`);
  if (field.type === 'date') {
    return { name: 'date_start', column: 'date_start', type: 'date', order, isNullable: true };
  }
  const type = parameterTypes[field.type] ?? 'text';
  return { name: sortBy, column: field.sql, type, order, isNullable: !field.isPresent };
}

/** The best answers to bare text first; where there is none the newest. */
function bestFirst(question: Question, order: SortOrder, parameters: Parameters): Sort {
  const relevance = relevanceOf(question, parameters);
  if (relevance !== null) return { name: 'relevance', column: relevance, type: 'float8', order, isNullable: false };
  return { name: 'created_at', column: 'created_at', type: 'timestamptz', order, isNullable: false };
}

function toOffset({ page, limit }: ListOptions): number {
  const offset = (page - 1) * limit;
  if (offset + limit > maxDepth) {
    throw new AppError('page_too_deep', `Pages reach ${maxDepth} rows deep; use cursor to go on from the page before`, {
      maxDepth,
    });
  }
  return offset;
}

function afterCursor(
  sort: Sort,
  idColumn: string,
  { key, id }: { key: string | null; id: string },
  parameter: (v: unknown) => string,
): string {
  const { column, type, order } = sort;
  if (key === null) return ` AND ${column} IS NULL AND ${idColumn} > ${parameter(id)}`;
  const value = `${parameter(key)}::${type}`;
  const beyond = order === 'asc' ? '>' : '<';
  return ` AND (${column} ${beyond} ${value} OR (${column} = ${value} AND ${idColumn} > ${parameter(id)}) ${sort.isNullable ? ` OR ${column} IS NULL` : ''})`;
}
