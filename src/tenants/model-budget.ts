import type { Database } from '../backing/index.ts';
import { forTenant, tenantStatement } from './for-tenant.ts';

/** The current day in the tenant's time zone, for a statement that reads a row of `tenant`. */
const today = `(clock_timestamp() AT TIME ZONE COALESCE(time_zone, 'UTC'))::date`;

/** How often a tenant has called models today, for a statement whose `$1` is the tenant. */
export const modelRequestsToday = `COALESCE((
  SELECT requests FROM model_use WHERE tenant_id = $1 AND day = (SELECT ${today} FROM tenant WHERE id = $1)), 0)`;

/**
 * Counts a call that costs $2, provided that the number and cost of the day's calls stay within the tenant's limits;
 * otherwise returns no row. The row lock makes both exact across all processes.
 */
const countCall = tenantStatement(
  'count-model-call',
  `INSERT INTO model_use AS u (tenant_id, day, requests, cost)
   SELECT id, ${today}, 1, $2::float8 FROM tenant
   WHERE id = $1 AND COALESCE(ai_requests_day, 1) >= 1 AND COALESCE(ai_cost_day, $2::float8) >= $2::float8
   ON CONFLICT (tenant_id) DO UPDATE SET
     day = EXCLUDED.day,
     requests = CASE WHEN u.day = EXCLUDED.day THEN u.requests ELSE 0 END + 1,
     cost = CASE WHEN u.day = EXCLUDED.day THEN u.cost ELSE 0 END + EXCLUDED.cost
   WHERE u.tenant_id = $1 AND (u.day <> EXCLUDED.day OR EXISTS (
     SELECT FROM tenant WHERE id = $1
     AND (ai_requests_day IS NULL OR u.requests < ai_requests_day)
     -- Sums of decimal prices are a little off in binary.
     AND (ai_cost_day IS NULL OR u.cost + EXCLUDED.cost <= ai_cost_day + 1e-9)))
   RETURNING true AS counted`,
);

/** Prices of one call, by capability, in the currency of the budgets. A capability without a price is free. */
type ModelPrices = Readonly<Partial<Record<string, number>>>;

/**
 * Counts calls of paid models against a tenant's daily budget, which its settings `ai_requests_day` and `ai_cost_day`
 * limit. False if the budget does not cover the call. Calls without a tenant have no budget and are always allowed.
 */
export function createModelBudget(
  database: Database,
  prices: ModelPrices,
): (owner: number | undefined, capability: string) => Promise<boolean> {
  return async (owner, capability) => {
    if (owner === undefined) return true;
    const { rows } = await forTenant(database, owner).query(countCall, [prices[capability] ?? 0]);
    return rows.length > 0;
  };
}
