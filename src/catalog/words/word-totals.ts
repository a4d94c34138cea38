import type { Queryable } from '../../backing/index.ts';
import type { Resource } from '../fields.ts';

/**
 * How many records of a large tenant have a common word. Workers choose the words (see common-words.ts); triggers
 * record in `word_change` what each statement adds and removes (see word-sql.ts), and workers merge these changes
 * into `word_total`. As with facets, the sum of both is correct at any time.
 */

/**
 * Returns an SQL expression for the number of the tenant's records that have one of the `forms` of a word (a
 * tsquery); null if that has no total (see `prisma/functions/word_total_of.sql`).
 */
export function totalOfWord(resource: Resource, forms: string): string {
  return `word_total_of($1, '${resource}', ${forms})`;
}

/** Number of changes that one statement merges. */
const mergedAtOnce = 100;

const merge = `
  WITH taken AS (
    DELETE FROM word_change WHERE id IN (SELECT id FROM word_change WHERE tenant_id = $1 ORDER BY id LIMIT ${mergedAtOnce})
    RETURNING resource, words, counts
  ), added AS (
    SELECT resource, change.words, sum(change.count) AS count FROM taken, unnest(words, counts) AS change (words, count) GROUP BY 1, 2
  ), merged AS (
    UPDATE word_total AS total SET count = total.count + added.count FROM added
    WHERE tenant_id = $1 AND total.resource = added.resource AND total.words = added.words AND added.count <> 0
    RETURNING total.ctid, total.count, total.is_ready
  )
  SELECT (SELECT count(*) FROM taken)::int AS taken,
         ARRAY(SELECT ctid FROM merged WHERE count = 0 AND is_ready)::text[] AS unused`;

/** Deletes words that no record has: nothing may remain of purged records. */
const forget = 'DELETE FROM word_total WHERE tenant_id = $1 AND ctid = ANY($2::tid[])';

/**
 * Until this transaction ends, keeps others from changing a tenant's set of totals and from merging its changes.
 * Otherwise, changes of a total that another transaction has just added would be lost.
 */
export async function lockWordTotals(client: Queryable, tenantId: number): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(hashtext('word_total'), $1)`, [tenantId]);
}

/**
 * Merges changes of a tenant, up to `mergedAtOnce` of them, inside the client's transaction. Returns whether there
 * may be more.
 */
export async function mergeWordChanges(client: Queryable, tenantId: number): Promise<boolean> {
  await lockWordTotals(client, tenantId);
  const { rows } = await client.query<{ taken: number; unused: readonly string[] }>(merge, [tenantId]);
  const { taken = 0, unused = [] } = rows[0] ?? {};
  if (taken === mergedAtOnce) return true;
  if (unused.length > 0) await client.query(forget, [tenantId, unused]);
  return false;
}
