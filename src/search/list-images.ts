import { imageFields, selectList } from '../catalog/index.ts';
import type { ImageRow } from '../catalog/index.ts';
import { AppError } from '../errors.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

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
}>;

export type ImagePage = Readonly<{ results: ImageRow[]; cursor: string | null }>;

const sortable = new Map(imageFields.filter(({ sort }) => sort).map((field) => [field.name, field]));

/** What `sort_by` accepts, '' among it. */
export const imageSorts: readonly string[] = ['', ...sortable.keys()];

/** Column, its type for parameters, and direction. */
type Sort = Readonly<{ column: string; type: string; order: SortOrder }>;

/**
 * One page of a tenant's images. Ties are broken by id, missing values come last in both orders.
 *
 * @throws AppError `page_too_deep`, or `invalid_argument` for a cursor that is not one of ours.
 */
export async function listImages(db: TenantDb, options: ListOptions): Promise<ImagePage> {
  const { limit, properties } = options;
  const sort = toSort(options);
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value) + 1}`;
  const after = options.cursor === null ? '' : afterCursor(sort, decodeCursor(options.cursor, sort), parameter);
  const offset = options.cursor === null ? toOffset(options) : 0;
  const text = `SELECT ${selectList(properties)}, image_id AS "_id", ${sort.column}::text AS "_key"
    FROM image WHERE tenant_id = $1${after}
    ORDER BY ${sort.column} ${sort.order} NULLS LAST, image_id
    LIMIT ${parameter(limit)} OFFSET ${parameter(offset)}`;
  const { rows } = await db.query<ImageRow & { _id: string; _key: string | null }>(tenantStatement('', text), values);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { results: rows, cursor: last === undefined ? null : encodeCursor(sort, { key: last._key, id: last._id }) };
}

const count = tenantStatement('count-images', 'SELECT count(*) AS count FROM image WHERE tenant_id = $1');

/** How many images the tenant has, exactly. */
export async function countImages(db: TenantDb): Promise<number> {
  const { rows } = await db.query<{ count: number }>(count);
  return rows[0]?.count ?? 0;
}

function toSort({ sortBy, sortOrder }: ListOptions): Sort {
  if (sortBy === '') return { column: 'created_at', type: 'timestamptz', order: sortOrder };
  const field = sortable.get(sortBy);
  if (field === undefined) throw new AppError('invalid_argument', `Images cannot be sorted by '${sortBy}'`);
  if (field.type === 'date') return { column: 'date_start', type: 'date', order: sortOrder };
  return { column: field.name, type: field.type === 'integer' ? 'integer' : 'text', order: sortOrder };
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
  return ` AND (${column} ${beyond} ${value} OR (${column} = ${value} AND image_id > ${parameter(id)}) OR ${column} IS NULL)`;
}
