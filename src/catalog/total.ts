import type { Resource } from './fields.ts';

/**
 * How many records of a kind the tenant `$1` has, as an expression of SQL whose cost does not grow with them: triggers
 * keep the number (see `prisma/functions/record_total_add.sql`).
 */
export function totalOf(resource: Resource): string {
  return `COALESCE((SELECT count FROM record_total WHERE tenant_id = $1 AND resource = '${resource}'), 0)`;
}
