import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Verdict } from './verdicts.ts';

const ofRecord = tenantStatement(
  'verdicts-of-record',
  `SELECT (CASE WHEN low_row = $2 THEN high_row ELSE low_row END)::text AS other, verdict
   FROM pair_verdict WHERE tenant_id = $1 AND (low_row = $2 OR high_row = $2)`,
);

/** Verdicts on a record and others, by the row ids of the others. */
export async function readVerdictsOf(db: TenantDb, rowId: number): Promise<Map<number, Verdict>> {
  const { rows } = await db.query<{ other: string; verdict: Verdict }>(ofRecord, [rowId]);
  return new Map(rows.map(({ other, verdict }) => [Number(other), verdict]));
}

const ofTenant = tenantStatement(
  'verdicts-of-tenant',
  `SELECT low_row::text AS low, high_row::text AS high, verdict FROM pair_verdict WHERE tenant_id = $1
   ORDER BY low_row, high_row`,
);

/** The verdict on two records, the older one first. */
type SaidPair = Readonly<{ low: number; high: number; verdict: Verdict }>;

/** All verdicts of a catalog. */
export async function readVerdicts(db: TenantDb): Promise<SaidPair[]> {
  const { rows } = await db.query<{ low: string; high: string; verdict: Verdict }>(ofTenant);
  return rows.map(({ low, high, verdict }) => ({ low: Number(low), high: Number(high), verdict }));
}
