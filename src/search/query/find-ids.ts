import type { Resource } from '../../catalog/index.ts';
import { AppError } from '../../lib/errors.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { listRecords } from './list-records.ts';
import type { RecordPage } from './list-records.ts';
import type { SearchQuery } from './search-query.ts';
import type { SortOrder } from './sorts.ts';

/** Records looked up at a time. */
const batch = 10_000;

const idOf: Readonly<Record<Resource, string>> = { image: 'imageId', video: 'videoId' };

/** The order of the records, and how many an operation accepts at most. */
export type IdsAsked = Readonly<{ sortBy: string; sortOrder: SortOrder; most: number }>;

/**
 * Returns the ids of all records that match a query.
 *
 * @throws AppError `invalid_argument` if there are none or too many; also what `listRecords` throws.
 */
export async function findIds(
  db: TenantDb,
  searchQuery: SearchQuery,
  { most, ...order }: IdsAsked,
): Promise<readonly string[]> {
  const { resource } = searchQuery;
  const id = idOf[resource];
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const options = { page: 1, limit: batch, ...order, cursor, properties: [id], withCursor: true };
    const page: RecordPage = await listRecords(db, searchQuery, options);
    ids.push(...page.results.flatMap((row) => (row as Readonly<Record<string, string | undefined>>)[id] ?? []));
    cursor = page.cursor;
  } while (cursor !== null && ids.length < most);
  if (cursor !== null) {
    throw new AppError('invalid_argument', `The formula finds more than ${most} ${resource}s`, {
      argument: 'q',
      hint: `One operation has at most ${most}: narrow the formula, for example by id, date or status`,
    });
  }
  if (ids.length === 0) {
    throw new AppError('invalid_argument', `The formula finds no ${resource}`, { argument: 'q' });
  }
  return ids;
}
