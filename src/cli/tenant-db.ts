import { forTenant, getTenant } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { Session } from './session.ts';

/** The database of a tenant. @throws SetupError if there is no tenant of this name */
export async function tenantDbOf({ backing: { database } }: Pick<Session, 'backing'>, name: string): Promise<TenantDb> {
  const { id } = await getTenant(database, name);
  return forTenant(database, id);
}
