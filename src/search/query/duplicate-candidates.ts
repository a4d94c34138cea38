import { readCandidates } from '../../similarity/index.ts';
import type { DuplicateTier, ReadCandidates, ReadRows } from '../../similarity/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { createParameters, statementOf, whereOf } from './search-query.ts';
import type { SearchQuery } from './search-query.ts';

/**
 * Reads the records that match a query, to search them for duplicates.
 *
 * @throws the signal's reason.
 */
export async function readDuplicateCandidates(
  db: TenantDb,
  searchQuery: SearchQuery,
  tier: DuplicateTier,
  signal: AbortSignal,
): Promise<ReadCandidates> {
  const readRows: ReadRows = async (row, from) => {
    const { values, parameter } = createParameters();
    const text = `SELECT string_agg(${row}, ''::bytea) AS rows FROM ${from(whereOf(searchQuery, parameter))}`;
    const { rows } = await db.query<{ rows: Buffer | null }>(statementOf(searchQuery, text), values);
    return rows[0]?.rows ?? Buffer.alloc(0);
  };
  return readCandidates(db, readRows, tier, signal);
}
