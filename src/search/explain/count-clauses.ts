import { tenantRead } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { countOf } from '../query/count.ts';
import type { Condition } from '../formula/index.ts';
import { createParameters } from '../query/search-query.ts';
import type { SearchQuery } from '../query/search-query.ts';
import { withinTime } from '../query/within-time.ts';

/** Maximum time for counting hits, because a person waits for the explanation. */
const maxMilliseconds = 5000;

/**
 * Counts the records that match each condition, in one statement, so that all counts refer to the same moment.
 *
 * @returns null if that takes too long.
 */
export async function countEach(
  db: TenantDb,
  searchQuery: SearchQuery,
  conditions: readonly (Condition | null)[],
): Promise<number[] | null> {
  if (conditions.length === 0) return [];
  const { values, parameter } = createParameters();
  const counts = conditions.map((condition) => countOf({ ...searchQuery, condition }, parameter));
  const statement = tenantRead(`SELECT ARRAY[${counts.join(', ')}]::text[] AS counts`);
  const found = await withinTime(db, maxMilliseconds, (client) =>
    db.query<{ counts: string[] }>(statement, values, client),
  );
  return found && (found.rows[0]?.counts ?? []).map(Number);
}
