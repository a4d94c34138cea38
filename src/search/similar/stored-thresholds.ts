import type { TenantDb } from '../../tenants/index.ts';
import { defaultThresholds } from './tiers.ts';
import type { Thresholds } from './tiers.ts';

/** The thresholds that a tenant's pictures are compared by. */
export async function thresholdsOf(_db: TenantDb): Promise<Thresholds> {
  return defaultThresholds;
}
