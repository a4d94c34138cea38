import type { QueryResultRow } from 'pg';
import type { Queryable } from '../backing/index.ts';
import type { TenantDb, TenantStatement } from './for-tenant.ts';

/** The requested page of a list, counted from 1, and the number of elements per page. */
export type PageAsked = Readonly<{ page: number; limit: number }>;

/** A page of a list; the total number is only counted on request. */
export type Page<Element> = Readonly<{ results: readonly Element[]; count: () => Promise<number> }>;

/** Reads a page with `list`, whose last two parameters are limit and offset; `count` takes the ones before. */
export async function readPage<Row extends QueryResultRow>(
  db: TenantDb,
  { list, count }: Readonly<{ list: TenantStatement; count: TenantStatement }>,
  values: readonly unknown[],
  { page, limit }: PageAsked,
): Promise<Page<Row>> {
  const { rows } = await db.query<Row>(list, [...values, limit, (page - 1) * limit]);
  return { results: rows, count: () => readCount(db, count, values) };
}

/** Reads the `count` that a statement returns. */
export async function readCount(
  db: TenantDb,
  statement: TenantStatement,
  values: readonly unknown[] = [],
  client?: Queryable,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(statement, values, client);
  return rows[0]?.count ?? 0;
}
