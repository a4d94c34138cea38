import type { RecordRow } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { bareWordOf, findBest } from './best-answers.ts';
import { checkList, isUsual, startOf, statementOfPart } from './compose-page.ts';
import type { Keys, ListOptions, ListPart, Start } from './compose-page.ts';
import { encodeCursor, invalidCursor } from './cursor.ts';
import type { CursorOrder, CursorPlace } from './cursor.ts';
import type { SearchQuery } from './search-query.ts';
import type { Sort } from './sorts.ts';

/** A page of the records that match a query, and the query, for its count and facets. */
export type RecordPage = Readonly<{
  results: RecordRow[];
  /** Continues after the page, or before it if the list is read backward; null if nothing is left. */
  cursor: string | null;
  searchQuery: SearchQuery;
  /** The number of all matches, if the page's statement counted them, too. */
  count?: number | undefined;
  /** The order that the cursors of its rows belong to. */
  order?: CursorOrder;
}>;

/** Returns the cursor of a row, for pages that were read with cursors. */
export function cursorOfRow({ order }: RecordPage, row: RecordRow): string {
  if (order === undefined) throw new Error('The page was read without cursors');
  const { _key: key, _id: id } = row as RecordRow & Keys;
  return encodeCursor(order, { key, id });
}

/**
 * Returns a page of the tenant's matching records. Ties are broken by id; missing values come last in either
 * direction.
 *
 * @throws AppError `page_too_deep`, `sort_requires_similarity`, or `invalid_argument` for an unknown cursor.
 */
export async function listRecords(db: TenantDb, searchQuery: SearchQuery, options: ListOptions): Promise<RecordPage> {
  const { limit, isBackward = false } = options;
  const { sort, key, place } = checkList(searchQuery, options);
  const read = isBackward ? findRowsBefore : findRows;
  const found = await read(db, searchQuery, options, { place, sort }).catch((error: unknown) => {
    throw place !== null && isUnfitValue(error) ? invalidCursor() : error;
  });
  const rows = found.slice(0, limit);
  const last = options.withCursor && found.length > limit ? rows.at(-1) : undefined;
  const cursor = last === undefined ? null : encodeCursor(key, { key: last._key, id: last._id });
  return { results: isBackward ? rows.toReversed() : rows, cursor, searchQuery, order: key, count: rows[0]?._count };
}

/**
 * Reads a page and one more row. After a cursor, a second statement reads the rows without a value once the others
 * end, so that both can start at a position of an index, no matter how deep.
 */
async function findRows(
  db: TenantDb,
  searchQuery: SearchQuery,
  options: ListOptions,
  { place, sort }: Readonly<{ place: CursorPlace | null; sort: Sort }>,
): Promise<(RecordRow & Keys)[]> {
  const size = options.limit + 1;
  const { isNullable, order } = sort;
  const start = startOf(place, sort, options);
  const word =
    isUsual(options, start) && order === 'desc' && sort.name === 'relevance' ? bareWordOf(searchQuery) : null;
  if (word !== null) {
    const key = `${db.tenantId} ${size} ${word.words.join(' ')}`;
    return findBest({ key, size }, (lowest) =>
      findPart(db, searchQuery, options, { start, size, tops: { word, lowest } }),
    );
  }
  const first = await findPart(db, searchQuery, options, { start, size });
  if (start.part !== 'with-value' || !isNullable || first.length === size) return first;
  const rest: Start = { part: 'without-value', key: null, id: null };
  return [...first, ...(await findPart(db, searchQuery, options, { start: rest, size: size - first.length }))];
}

/** Reads a page and one more row backwards, last row first. Rows without a value, which end the list, come first. */
async function findRowsBefore(
  db: TenantDb,
  searchQuery: SearchQuery,
  options: ListOptions,
  { place, sort }: Readonly<{ place: CursorPlace | null; sort: Sort }>,
): Promise<(RecordRow & Keys)[]> {
  const size = options.limit + 1;
  const rows: (RecordRow & Keys)[] = [];
  for (const start of startsBefore(place, sort)) {
    const left = size - rows.length;
    if (left > 0) rows.push(...(await findPart(db, searchQuery, options, { start, size: left })));
  }
  return rows;
}

function startsBefore(place: CursorPlace | null, { isNullable }: Sort): readonly Start[] {
  const withValue: Start = { part: 'with-value', key: null, id: null };
  if (place === null) return isNullable ? [{ part: 'without-value', key: null, id: null }, withValue] : [withValue];
  return place.key === null ? [{ part: 'without-value', ...place }, withValue] : [{ part: 'with-value', ...place }];
}

async function findPart(
  db: TenantDb,
  searchQuery: SearchQuery,
  options: ListOptions,
  part: ListPart,
): Promise<(RecordRow & Keys)[]> {
  const { statement, values } = statementOfPart(searchQuery, options, part);
  return (await db.query<RecordRow & Keys>(statement, values)).rows;
}

/** Whether a value has the wrong type for its column, such as a width of 'abc': the cursor was forged. */
function isUnfitValue(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('22');
}
