import { collectionLimits, totalOf } from '../catalog/index.ts';
import { savedLimits } from '../search/index.ts';
import { modelRequestsToday, tenantStatement } from '../tenants/index.ts';
import type { TenantDb, Viewer } from '../tenants/index.ts';
import { uploadLimits } from '../uploads/index.ts';

/** What is limited for a tenant: an SQL expression that counts it, and the limit; null means no limit. */
const counted = {
  images: { sql: totalOf('image'), limit: ({ maxImages }: Viewer) => maxImages },
  videos: { sql: totalOf('video'), limit: ({ maxVideos }: Viewer) => maxVideos },
  model_requests_today: { sql: modelRequestsToday, limit: ({ aiRequestsDay }: Viewer) => aiRequestsDay },
  uploaded_bytes: {
    sql: `(SELECT COALESCE(sum(received), 0) FROM upload WHERE tenant_id = $1 AND state <> 'removing')`,
    limit: () => null,
  },
  unused_upload_bytes: {
    sql: `(SELECT COALESCE(sum(GREATEST(length, received)), 0) FROM upload
      WHERE tenant_id = $1 AND used_at IS NULL AND state <> 'removing')`,
    limit: () => uploadLimits.unusedBytes,
  },
  unused_upload_files: {
    sql: `(SELECT count(*) FROM upload WHERE tenant_id = $1 AND used_at IS NULL AND state <> 'removing')`,
    limit: () => uploadLimits.unused,
  },
  saved_formulas: {
    sql: '(SELECT count(*) FROM saved_formula WHERE tenant_id = $1)',
    limit: () => savedLimits.formulas,
  },
  collections: {
    sql: '(SELECT count(*) FROM collection WHERE tenant_id = $1)',
    limit: () => collectionLimits.collections,
  },
} as const;

type LimitedName = keyof typeof counted;
export const limitNames = Object.keys(counted) as readonly LimitedName[];

/** A limit of a tenant, and how much of it is used. */
export type LimitUse = Readonly<{ name: LimitedName; used: number; limit: number | null }>;

const count = tenantStatement(
  'count-what-is-limited',
  `SELECT ${limitNames.map((name) => `(${counted[name].sql})::float8 AS ${name}`).join(', ')} FROM tenant
   WHERE id = $1`,
);

/** Counts everything that is limited for the tenant. */
export async function limitUse(db: TenantDb, viewer: Viewer): Promise<LimitUse[]> {
  const { rows } = await db.query<Record<LimitedName, number>>(count);
  return limitNames.map((name) => ({ name, used: rows[0]?.[name] ?? 0, limit: counted[name].limit(viewer) }));
}
