import type { Queryable } from '../backing/index.ts';
import type { FormulaField } from './formula-fields.ts';
import type { Resource } from './fields.ts';
import { totalOf } from './total.ts';

/**
 * The number of records that have each value of a facet. Triggers record in `facet_change` what each statement adds
 * and removes (see facet-sql.ts), and workers merge these changes into `facet_total`, so that no two writes wait for
 * the same row. The sum of both is correct at any time.
 *
 * For lists, the value '' holds the negative number of records that have elements. Added to the total number of
 * records, it gives the number of records without elements, even for a field that is newer than the records.
 */

/** Values with their counts, as a SELECT for the tenant `$1`; values that no record has any longer are left out. */
export function totalsOfValues(field: FormulaField, resource: Resource): string {
  return `SELECT ${valueOf(field)} AS value, count FROM (${sumsOf(field.name, resource)}) AS sums WHERE value <> ''`;
}

/** The same, plus the number of records without a value, under null. */
export function totalsOfFacet(field: FormulaField, resource: Resource): string {
  const [sign, which] = field.kind === 'list' ? ['+', `value = ''`] : ['-', 'true'];
  return `WITH sums AS MATERIALIZED (${sumsOf(field.name, resource)}), missing AS (
      SELECT ${totalOf(resource)} ${sign} COALESCE(sum(count), 0)::bigint AS count FROM sums WHERE ${which}
    )
    SELECT ${valueOf(field)} AS value, count FROM sums WHERE value <> ''
    UNION ALL SELECT NULL, count FROM missing WHERE count > 0`;
}

const valueOf = ({ kind }: FormulaField) => (kind === 'boolean' ? 'value::boolean' : 'value COLLATE "C"');

function sumsOf(name: string, resource: Resource): string {
  const own = `tenant_id = $1 AND resource = '${resource}'`;
  return `SELECT value, sum(count)::bigint AS count FROM (
      SELECT value, count FROM facet_total WHERE ${own} AND field = '${name}'
      UNION ALL
      SELECT change.value, change.count FROM facet_change, unnest(fields, "values", counts) AS change (field, value, count)
      WHERE ${own} AND change.field = '${name}'
    ) AS parts GROUP BY value HAVING sum(count) <> 0`;
}

/** Number of changes that one statement merges; the change of a batch may have some thousand values. */
const mergedAtOnce = 100;

/** Allows one merge per tenant at a time, since two would take each other's rows. */
const lock = `SELECT pg_advisory_xact_lock(hashtext('facet_total'), $1)`;

const merge = `
  WITH taken AS (
    DELETE FROM facet_change WHERE id IN (SELECT id FROM facet_change WHERE tenant_id = $1 ORDER BY id LIMIT ${mergedAtOnce})
    RETURNING resource, fields, "values", counts
  ), added AS (
    INSERT INTO facet_total AS total (tenant_id, resource, field, digest, value, count)
    SELECT $1, resource, change.field, md5(change.value), change.value, sum(change.count)
    FROM taken, unnest(fields, "values", counts) AS change (field, value, count)
    GROUP BY 2, 3, 5 HAVING sum(change.count) <> 0
    ON CONFLICT (tenant_id, resource, field, digest) DO UPDATE SET count = total.count + EXCLUDED.count
    RETURNING ctid, count
  )
  SELECT (SELECT count(*) FROM taken)::int AS taken,
         ARRAY(SELECT ctid FROM added WHERE count = 0)::text[] AS unused`;

/** Deletes values that no record has: nothing may remain of purged records. */
const forget = 'DELETE FROM facet_total WHERE tenant_id = $1 AND ctid = ANY($2::tid[])';

/**
 * Merges changes of a tenant, up to `mergedAtOnce` of them, inside the client's transaction. Returns whether there
 * may be more.
 */
export async function mergeFacetChanges(client: Queryable, tenantId: number): Promise<boolean> {
  await client.query(lock, [tenantId]);
  const { rows } = await client.query<{ taken: number; unused: readonly string[] }>(merge, [tenantId]);
  const { taken = 0, unused = [] } = rows[0] ?? {};
  if (unused.length > 0) await client.query(forget, [tenantId, unused]);
  return taken === mergedAtOnce;
}
