import { printableTypes } from '../backing/index.ts';
import { imageFields, selectList } from '../catalog/index.ts';
import type { ImageRow } from '../catalog/index.ts';
import { AppError } from '../errors.ts';
import { tenantStatement, tenantStatementOf } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { decodeCursor, encodeCursor, invalidCursor } from './cursor.ts';

/** Rows that a page number can reach; deeper, a cursor goes on at any depth. */
export const maxDepth = 100_000;

export type SortOrder = 'asc' | 'desc';

export type ListOptions = Readonly<{
  page: number;
  limit: number;
  /** A field of the table, or '' for newest first. */
  sortBy: string;
  sortOrder: SortOrder;
  /** Goes on after the last row of an earlier page; the page number is then not used. */
  cursor: string | null;
  /** Properties that the reader asked for. */
  properties: readonly string[];
  /** Whether the reader asked for the cursor of the next page. */
  withCursor: boolean;
}>;

export type ImagePage = Readonly<{ results: ImageRow[]; cursor: string | null }>;

const sortable = new Map(imageFields.filter(({ sort }) => sort).map((field) => [field.name, field]));

/** Without NULLS LAST an index in plain order serves them. */
const neverMissing = ['image_id', 'width', 'height'];

/** What `sort_by` accepts, '' among it. */
export const imageSorts: readonly string[] = ['', ...sortable.keys()];

/** Column, its type for parameters, direction, and whether it can be missing. */
type Sort = Readonly<{ column: string; type: string; order: SortOrder; isNullable: boolean }>;

/**
 * One page of a tenant's images. Ties are broken by id, missing values come last in both orders.
 *
 * @throws AppError `page_too_deep`, or `invalid_argument` for a cursor that is not one of ours.
 */
export async function listImages(db: TenantDb, options: ListOptions): Promise<ImagePage> {
  const { limit, properties, withCursor } = options;
  const sort = toSort(options);
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value) + 1}`;
  const after = options.cursor === null ? '' : afterCursor(sort, decodeCursor(options.cursor, sort), parameter);
  const offset = options.cursor === null ? toOffset(options) : 0;
  const place = withCursor ? `, image_id AS "_id", ${sort.column}::text AS "_key"` : '';
  const text = `SELECT ${selectList(properties)}${place} FROM image WHERE tenant_id = $1${after}
    ORDER BY ${sort.column} ${sort.order}${sort.isNullable ? ' NULLS LAST' : ''}, image_id
    LIMIT ${parameter(limit + 1)} OFFSET ${parameter(offset)}`;
  const found = await db
    .query<ImageRow & Keys>(tenantStatementOf(text, printableTypes), values)
    .catch((error: unknown) => {
      throw options.cursor !== null && isDataFault(error) ? invalidCursor() : error;
    });
  const rows = found.rows.slice(0, limit);
  const last = found.rows.length > limit ? rows.at(-1) : undefined;
  return { results: rows, cursor: last === undefined ? null : encodeCursor(sort, { key: last._key, id: last._id }) };
}

/** What the cursor after a row is made of. */
type Keys = Readonly<{ _id: string; _key: string | null }>;

/** A value that its column cannot hold, such as a width 'abc': a cursor that we never gave names it. */
function isDataFault(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('22');
}

const count = tenantStatement('count-images', 'SELECT count(*) AS count FROM image WHERE tenant_id = $1');

/** How many images the tenant has, exactly. */
export async function countImages(db: TenantDb): Promise<number> {
  const { rows } = await db.query<{ count: number }>(count);
  return rows[0]?.count ?? 0;
}

function toSort({ sortBy, sortOrder }: ListOptions): Sort {
  if (sortBy === '') return { column: 'created_at', type: 'timestamptz', order: sortOrder, isNullable: false };
  const field = sortable.get(sortBy);
  if (field === undefined) throw new AppError('invalid_argument', `Images cannot be sorted by '${sortBy}'`);
  if (field.type === 'date') return { column: 'date_start', type: 'date', order: sortOrder, isNullable: true };
  const type = field.type === 'integer' ? 'integer' : 'text';
  return { column: field.name, type, order: sortOrder, isNullable: !neverMissing.includes(field.name) };
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
