import type { Resource } from './fields.ts';

/**
 * Returns an SQL expression for the number of records of a kind that the tenant `$1` has. Its cost does not grow with the
 * number, which triggers maintain (see `prisma/functions/record_total_add.sql`).
 */
export function totalOf(resource: Resource): string {
  return `COALESCE((SELECT count FROM record_total WHERE tenant_id = $1 AND resource = '${resource}'), 0)`;
}
