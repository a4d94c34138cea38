import { maxRowBytes, replyTooLarge } from '../../backing/index.ts';
import { fieldsOf } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { composePage } from './compose-page.ts';
import type { ListOptions } from './compose-page.ts';
import { statementOf } from './search-query.ts';
import type { SearchQuery } from './search-query.ts';

/** A page may repeat this many values before their lengths are checked; an ordinary query repeats none. */
const freeCopies = 10_000;

/**
 * Refuses a page whose repeated long values would make the reply too large, before its rows are read: the database
 * knows the length of a long text without decompressing it.
 *
 * @throws AppError `reply_too_large`.
 */
export async function checkCopies(db: TenantDb, searchQuery: SearchQuery, options: ListOptions): Promise<void> {
  if (options.copies === undefined || options.copies.size === 0) return;
  const stored = new Set(fieldsOf[searchQuery.resource].map(({ property }) => property));
  const copies = [...options.copies].filter(([property]) => stored.has(property));
  const repeated = copies.reduce((sum, [, count]) => sum + count - 1, 0);
  if (repeated * options.limit <= freeCopies) return;
  const properties = copies.map(([property]) => property);
  const { text, values } = composePage(searchQuery, { ...options, properties, withCursor: false });
  const lengths = copies.map(
    ([property, count]) => `${count} * coalesce(octet_length("${property}"::text), 0)::bigint`,
  );
  const sum = `SELECT coalesce(sum(${lengths.join(' + ')}), 0)::float8 AS bytes FROM (${text}) AS page`;
  const { rows } = await db.query<{ bytes: number }>(statementOf(searchQuery, sum), values);
  if ((rows[0]?.bytes ?? 0) > maxRowBytes) throw replyTooLarge(maxRowBytes);
}
