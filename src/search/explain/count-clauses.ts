import { inTransaction, isOverdue } from '../../backing/index.ts';
import { tenantQuery } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { countOf } from '../count.ts';
import type { Condition } from '../formula/index.ts';
import { createParameters } from '../question.ts';
import type { Question } from '../question.ts';

/** After so long hits stay uncounted: an explanation is read by a person who waits for it. */
const maxMilliseconds = 5000;

/**
 * How many records answer each condition, in one statement, so that all are about the same moment.
 *
 * @returns null where that takes too long.
 */
export async function countEach(
  db: TenantDb,
  question: Question,
  conditions: readonly (Condition | null)[],
): Promise<number[] | null> {
  if (conditions.length === 0) return [];
  const { values, parameter } = createParameters();
  const counts = conditions.map((condition) => countOf({ ...question, condition }, parameter));
  const statement = tenantQuery(`SELECT ARRAY[${counts.join(', ')}]::text[] AS counts`);
  try {
    const { rows } = await inTransaction(db.pool, async (client) => {
      await client.query(`SET LOCAL statement_timeout = ${maxMilliseconds}`);
      return db.query<{ counts: string[] }>(statement, values, client);
    });
    return (rows[0]?.counts ?? []).map(Number);
  } catch (error) {
    if (isOverdue(error)) return null;
    throw error;
  }
}
