import { printableTypes } from '../../backing/index.ts';
import { selectList } from '../../catalog/index.ts';
import { AppError } from '../../lib/errors.ts';
import type { TenantStatement } from '../../tenants/index.ts';
import { topsOf } from './best-answers.ts';
import type { Ranked, Tops } from './best-answers.ts';
import { countOf } from './count.ts';
import { decodeCursor } from './cursor.ts';
import type { CursorPlace } from './cursor.ts';
import { asksSimilarity, createParameters, hasOnePlan, statementOf, whereOf } from './search-query.ts';
import type { SearchQuery } from './search-query.ts';
import { rowOrderOf, toSort } from './sorts.ts';
import type { Sort, SortOrder } from './sorts.ts';

/** How deep numbered pages go, in rows; cursors have no limit. */
export const maxDepth = 100_000;

export type ListOptions = Readonly<{
  page: number;
  limit: number;
  /** A field of the table; '' for the most relevant first or, without bare text, the newest. */
  sortBy: string;
  sortOrder: SortOrder;
  /** Continues after the last row of an earlier page; the page number is ignored. */
  cursor: string | null;
  /** Reads towards the start: the page that ends before the cursor; without a cursor, the last page. */
  isBackward?: boolean;
  /** Requested properties. */
  properties: readonly string[];
  /** Whether cursors are requested: that of the next page, or those of rows. */
  withCursor: boolean;
  /** Whether the records or their cursor are requested; true by default. */
  withRows?: boolean;
  /** Whether the number of all matches is requested, too. */
  withCount?: boolean;
  /** How many times a reply repeats a property, because it is requested under several names. */
  copies?: ReadonlyMap<string, number>;
}>;

/** Where a part of a list starts; without an id, before its first row. */
export type Start = Readonly<{ part: 'all' | 'with-value' | 'without-value'; key: string | null; id: string | null }>;

/** The part of a list that one statement reads. */
export type ListPart = Readonly<{ start: Start; size: number; tops?: Tops }>;

/** Returns the order of a list and its start. @throws AppError for options that do not apply to the query. */
export function checkList(searchQuery: SearchQuery, options: ListOptions) {
  const sort = toSort(searchQuery, options, createParameters());
  const key = { column: `${sort.name}${searchQuery.digest}`, order: sort.order };
  const place = options.cursor === null ? null : decodeCursor(options.cursor, key);
  if (place === null) toOffset(options);
  return { sort, key, place };
}

/** Returns where a list starts. */
export function startOf(place: CursorPlace | null, { isIndexed, order }: Sort, { page }: ListOptions): Start {
  // Read backwards, the index starts with the records without a value, but this order, too, puts them last.
  const isApart = isIndexed === true && order === 'asc' && page === 1;
  if (place === null) return { part: isApart ? 'with-value' : 'all', key: null, id: null };
  return { part: place.key === null ? 'without-value' : 'with-value', ...place };
}

/** A statement and the values of its parameters. */
type Composed = Readonly<{ statement: TenantStatement; values: readonly unknown[] }>;

/**
 * Cached statements of first pages, which clients request again and again: by query, then by whatever else they
 * depend on.
 */
const composed = new WeakMap<SearchQuery, Map<string, Composed>>();
const composedPerQuery = 4;

/** Returns the statement for a part of a list. */
export function statementOfPart(searchQuery: SearchQuery, options: ListOptions, part: ListPart): Composed {
  const compose = (): Composed => {
    const { text, values, order, counts } = composePart(searchQuery, options, part);
    return { statement: statementOf(searchQuery, text, { types: printableTypes, order, counts }), values };
  };
  if (!isUsual(options, part.start) || part.tops !== undefined || searchQuery.answers.size > 0) return compose();
  const { sortBy, sortOrder, withCursor, withCount, properties } = options;
  const key = `${part.size} ${sortBy} ${sortOrder} ${withCursor} ${withCount} ${properties.join(' ')}`;
  let byKey = composed.get(searchQuery);
  if (byKey === undefined || byKey.size === composedPerQuery) composed.set(searchQuery, (byKey = new Map()));
  let known = byKey.get(key);
  if (known === undefined) byKey.set(key, (known = compose()));
  return known;
}

/** Returns SQL for the first page of a list, or the one after its cursor, with the values of its parameters. */
export function composePage(searchQuery: SearchQuery, options: ListOptions) {
  const { sort, place } = checkList(searchQuery, options);
  return composePart(searchQuery, options, { start: startOf(place, sort, options), size: options.limit });
}

function composePart(searchQuery: SearchQuery, options: ListOptions, { start, size, tops }: ListPart) {
  const { resource } = searchQuery;
  const id = `${resource}_id`;
  const parameters = createParameters();
  const { values, parameter } = parameters;
  const sort = inDirection(toSort(searchQuery, options, parameters), options);
  const best = tops && topsOf(searchQuery, tops, { relevance: sort.column, parameter });
  const where = best?.where ?? whereOf(searchQuery, parameter);
  const after = afterStart(sort, id, start, parameter);
  const keys = `${best?.select ?? ''}${options.withCursor ? `, ${id} AS "_id", (${sort.column})::text AS "_key"` : ''}`;
  // Identifies the rows in the results of similarity terms.
  const rowId = asksSimilarity(searchQuery) ? ', row_id AS "rowId"' : '';
  const offset = options.cursor === null && !options.isBackward ? toOffset(options) : 0;
  const order = tops && tops.lowest !== null ? 'tops' : isUsual(options, start) ? rowOrderOf(sort) : 'other';
  // With the size as a parameter, PostgreSQL would plan a prepared page as if it returned a tenth of all rows.
  const hasSize = searchQuery.condition !== null && hasOnePlan(searchQuery, order);
  const page = hasSize ? `LIMIT ${size}` : `LIMIT ${parameter(size)} OFFSET ${parameter(offset)}`;
  const counts = isCountedAlong(searchQuery, options, start);
  const count = counts ? `, ${countOf(searchQuery, parameter)} AS "_count"` : '';
  const text = `SELECT ${selectList(resource, options.properties)}${keys}${rowId}${count} FROM ${resource}${sort.join ?? ''} WHERE ${where}${after}
    ORDER BY ${orderOf(sort, start.part)}${id}${sort.isBackward ? ' DESC' : ''} ${page}`;
  return { text, values, order, counts } as const;
}

/** Usual sizes of first pages. Each has prepared statements of its own, and the number of those is limited. */
const usualSizes: readonly number[] = [1, 10, 12, 20, 24, 25, 30, 40, 48, 50, 60, 96, 100, 200];

/** An order, and whether it is the reverse of the requested one because the list is read from its end. */
type DirectedSort = Sort & Readonly<{ isBackward: boolean }>;

/** Returns the order in which rows are read. */
function inDirection(sort: Sort, { isBackward = false }: ListOptions): DirectedSort {
  if (!isBackward) return { ...sort, isBackward };
  return { ...sort, isBackward, order: sort.order === 'asc' ? 'desc' : 'asc' };
}

/** Whether it is a first page of a usual size. */
export function isUsual({ limit, page, cursor }: ListOptions, { part }: Start): boolean {
  return part === 'all' && page === 1 && cursor === null && usualSizes.includes(limit);
}

/**
 * Whether the statement of a first page also counts all matches, which saves a statement: only if an index gives the
 * count at once.
 */
function isCountedAlong(searchQuery: SearchQuery, options: ListOptions, start: Start): boolean {
  return options.withCount === true && isUsual(options, start) && hasOnePlan(searchQuery, 'none');
}

/**
 * Returns the order of a part before the id, as SQL. It has to be spelled like the index, or the index cannot serve
 * it.
 */
function orderOf({ column, order, isNullable, isIndexed = false }: Sort, part: Start['part']): string {
  if (isIndexed && (part !== 'all' || order === 'desc')) {
    const isBackwards = part === 'with-value' && order === 'asc';
    return `${column} ${isBackwards ? 'ASC NULLS FIRST' : 'DESC NULLS LAST'}, `;
  }
  if (part === 'without-value') return '';
  return `${column} ${order}${isNullable && part === 'all' ? ' NULLS LAST' : ''}, `;
}

/** The columns of a row that the cursor after it is made from. */
export type Keys = Readonly<{ _id: string; _key: string | null; _count?: number }> & Ranked;

function toOffset({ page, limit }: ListOptions): number {
  const offset = (page - 1) * limit;
  if (offset + limit > maxDepth) {
    throw new AppError('page_too_deep', `Pages reach at most ${maxDepth} rows; use cursor for later pages`, {
      argument: 'page',
      maxDepth,
      hint: 'Request the first page and continue from its cursor',
    });
  }
  return offset;
}

/**
 * Returns the condition for rows after a start: the first comparison is where the index scan begins, the second skips
 * ties.
 */
function afterStart(
  { column, type, order, isNullable, isBackward }: DirectedSort,
  idColumn: string,
  { part, key, id }: Start,
  parameter: (v: unknown) => string,
): string {
  if (part === 'all') return '';
  const beyondId = isBackward ? '<' : '>';
  if (part === 'without-value')
    return ` AND ${column} IS NULL${id === null ? '' : ` AND ${idColumn} ${beyondId} ${parameter(id)}`}`;
  if (key === null) return isNullable ? ` AND ${column} IS NOT NULL` : '';
  const value = `${parameter(key)}::${type}`;
  const beyond = order === 'asc' ? '>' : '<';
  return ` AND ${column} ${beyond}= ${value} AND (${column} ${beyond} ${value} OR ${idColumn} ${beyondId} ${parameter(id)})`;
}
