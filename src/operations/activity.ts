import type { Database } from '../backing/index.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { absentSeconds } from './limits.ts';

/** Pending work, and the work done since a given time. */
export type Activity = Readonly<{
  sampledAt: Date;
  /** Unfinished operations, and the age of the oldest one; null if there is none. */
  openOperations: number;
  oldestSeconds: number | null;
  /** Elements that are not stored yet, and stored records that are still to be analyzed. */
  toStore: number;
  toAnalyze: number;
  stored: number;
  notStored: number;
  analyzed: number;
  notAnalyzed: number;
  /** Workers whose heartbeat is recent; each serves all tenants. */
  workers: number;
}>;

/** Leaves out operations that ended before $2, so that the totals since then only grow. */
const sumsOf = (condition: string) => `
  SELECT now() AS "sampledAt", o.*, (
    SELECT count(*)::int FROM service_process WHERE seen_at > now() - interval '${absentSeconds} s'
  ) AS workers
  FROM (
    SELECT (count(*) FILTER (WHERE state <> 'finished'))::int AS "openOperations",
           extract(epoch FROM now() - min(created_at) FILTER (WHERE state <> 'finished'))::float8
             AS "oldestSeconds",
           COALESCE(sum(num_total - num_good - num_bad)
             FILTER (WHERE state IN ('queued', 'running', 'aborting')), 0)::float8 AS "toStore",
           COALESCE(sum(num_to_analyze - num_analyzed - num_analysis_bad) FILTER (WHERE state <> 'finished'), 0)::float8 AS "toAnalyze",
           COALESCE(sum(num_good), 0)::float8 AS stored, COALESCE(sum(num_bad), 0)::float8 AS "notStored",
           COALESCE(sum(num_analyzed), 0)::float8 AS analyzed,
           COALESCE(sum(num_analysis_bad), 0)::float8 AS "notAnalyzed"
    FROM operation WHERE ${condition} AND (finished_at IS NULL OR finished_at >= $2)
  ) o`;

const ofTenant = tenantStatement('activity-of-tenant', sumsOf('tenant_id = $1'));
const ofAll = { name: 'activity-of-all', text: sumsOf('$1::int IS NULL') };

/** A tenant's pending work, and the work done since a given time. */
export async function activityOf(db: TenantDb, since: Date): Promise<Activity> {
  const { rows } = await db.query<Activity>(ofTenant, [since]);
  return rows[0] as Activity;
}

/** The same for all tenants. */
export async function activityOfAll({ pool }: Database, since: Date): Promise<Activity> {
  const { rows } = await pool.query<Activity>({ ...ofAll, values: [null, since] });
  return rows[0] as Activity;
}
