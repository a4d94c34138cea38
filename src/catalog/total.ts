import type { Resource } from './fields.ts';

/**
 * Returns an SQL expression for the number of records of a kind that the tenant `$1` has. Triggers maintain this
 * number (see `prisma/functions/record_total_add.sql`), so reading it costs the same however large it is.
 */
export function totalOf(resource: Resource): string {
  return `COALESCE((SELECT count FROM record_total WHERE tenant_id = $1 AND resource = '${resource}'), 0)`;
}
