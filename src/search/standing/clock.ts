import type { PoolClient } from 'pg';
import { tenantQuery, tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { compilePassed } from '../formula/to-sql.ts';
import { createParameters } from '../query/search-query.ts';
import { loadPlan } from './plan.ts';
import type { DatedFormula, Plan } from './plan.ts';

const setClock = tenantStatement(
  'set-standing-clock',
  'UPDATE standing_tenant SET clock_at = to_timestamp($2::float8 / 1000) WHERE tenant_id = $1',
);

/**
 * Advances the moment that relative dates refer to. Records whose date was passed by either end of a period are
 * queued for evaluation; no others are read.
 *
 * @returns the plan as of the new moment.
 */
export async function moveClock(db: TenantDb, client: PoolClient, plan: Plan, nowMs: number): Promise<Plan> {
  const now = Math.floor(nowMs);
  await db.query(setClock, [now], client);
  const clock = { ...plan.clock, now };
  if (plan.dated.length === 0) return { ...plan, clock };
  const next = await loadPlan(db, client, { version: plan.version, clock });
  const former = new Map(plan.dated.map((dated) => [keyOf(dated), dated]));
  const asked = new Set<string>();
  for (const dated of next.dated) {
    const { resource, periods } = dated;
    for (const [k, is] of periods.entries()) {
      const was = former.get(keyOf(dated))?.periods[k];
      if (was === undefined) continue;
      const { values, parameter } = createParameters();
      const passed = compilePassed({ was, is }, { resource, lang: 'ml', parameter });
      const key = JSON.stringify([resource, passed, values]);
      if (passed === 'false' || asked.has(key)) continue;
      asked.add(key);
      const text = `INSERT INTO standing_outbox (tenant_id, resource, row_id)
        SELECT tenant_id, '${resource}', row_id FROM ${resource} WHERE tenant_id = $1 AND (${passed}) ORDER BY row_id
        ON CONFLICT DO NOTHING`;
      await db.query(tenantQuery(text), values, client);
    }
  }
  return next;
}

function keyOf({ id, resource }: DatedFormula): string {
  return `${id} ${resource}`;
}
