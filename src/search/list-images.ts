import { printableTypes } from '../backing/index.ts';
import { imageFields, selectList } from '../catalog/index.ts';
import type { ImageRow } from '../catalog/index.ts';
import { AppError } from '../errors.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
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

/** A page of the images that answer a question, which its count and facets are about. */
export type ImagePage = Readonly<{ results: ImageRow[]; cursor: string | null; question: Question }>;

const sortable = new Map(imageFields.filter(({ sort }) => sort).map((field) => [field.name, field]));

/** Without NULLS LAST an index in plain order serves them. */
const neverMissing = ['image_id', 'width', 'height'];

const similaritySorts = ['similarity', 'sim'];

/** What `sort_by` accepts, '' among it. */
export const imageSorts: readonly string[] = ['', ...sortable.keys(), 'aspect_ratio', ...similaritySorts];

/** Name, expression, its type for parameters, direction, and whether it can be missing. */
type Sort = Readonly<{ name: string; column: string; type: string; order: SortOrder; isNullable: boolean }>;

/**
 * One page of the tenant's images that answer a question. Ties are broken by id, missing values come
 * last in both orders.
 *
 * @throws AppError `page_too_deep`, `sort_requires_similarity`, or `invalid_argument` for a cursor that is
 * not one of ours.
 */
export async function listImages(db: TenantDb, question: Question, options: ListOptions): Promise<ImagePage> {
  const { limit, properties, withCursor } = options;
  const parameters = createParameters();
  const { values, parameter } = parameters;
  const where = whereOf(question, parameter);
  const sort = toSort(question, options, parameters);
  const order = { column: `${sort.name}${question.digest}`, order: sort.order };
  const after = options.cursor === null ? '' : afterCursor(sort, decodeCursor(options.cursor, order), parameter);
  const offset = options.cursor === null ? toOffset(options) : 0;
  const place = withCursor ? `, image_id AS "_id", (${sort.column})::text AS "_key"` : '';
  const text = `SELECT ${selectList(properties)}${place} FROM image WHERE ${where}${after}
    ORDER BY ${sort.column} ${sort.order}${sort.isNullable ? ' NULLS LAST' : ''}, image_id
    LIMIT ${parameter(limit + 1)} OFFSET ${parameter(offset)}`;
  const found = await db
    .query<ImageRow & Keys>(statementOf(question, text, printableTypes), values)
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

const count = tenantStatement('count-images', 'SELECT count(*) AS count FROM image WHERE tenant_id = $1');

/** How many of the tenant's images answer the question, exactly. */
export async function countImages(db: TenantDb, question: Question): Promise<number> {
  const { values, parameter } = createParameters();
  const statement =
    question.condition === null
      ? count
      : statementOf(question, `SELECT count(*) AS count FROM image WHERE ${whereOf(question, parameter)}`);
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
  const field = sortable.get(sortBy);
  if (field === undefined) throw new AppError('invalid_argument', `Images cannot be sorted by '${sortBy}'`);
  if (field.type === 'date') {
    return { name: 'date_start', column: 'date_start', type: 'date', order, isNullable: true };
  }
  const type = field.type === 'integer' ? 'integer' : 'text';
  return { name: sortBy, column: sortBy, type, order, isNullable: !neverMissing.includes(sortBy) };
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
  { key, id }: { key: string | null; id: string },
  parameter: (v: unknown) => string,
): string {
  const { column, type, order } = sort;
  if (key === null) return ` AND ${column} IS NULL AND image_id > ${parameter(id)}`;
  const value = `${parameter(key)}::${type}`;
  const beyond = order === 'asc' ? '>' : '<';
  return ` AND (${column} ${beyond} ${value} OR (${column} = ${value} AND image_id > ${parameter(id)}) ${sort.isNullable ? ` OR ${column} IS NULL` : ''})`;
}
