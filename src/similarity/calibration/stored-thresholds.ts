import { parseDistances, tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { defaultThresholds } from '../compare/tiers.ts';
import type { Thresholds } from '../compare/tiers.ts';

const distances = tenantStatement(
  'duplicate-distances',
  'SELECT duplicate_distances AS text FROM tenant WHERE id = $1',
);

/** The thresholds for a tenant's pictures: with its own distances if it has any. */
export async function distancesOf(db: TenantDb): Promise<Thresholds> {
  const { rows } = await db.query<{ text: string | null }>(distances);
  const own = parseDistances(rows[0]?.text ?? '');
  return own === null ? defaultThresholds : { ...defaultThresholds, ...own };
}
