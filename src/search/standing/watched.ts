import type { WatchedName } from '../../notifications/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';

const byName = tenantStatement(
  'standing-formula-by-name',
  'SELECT id, name FROM standing_formula WHERE tenant_id = $1 AND name = $2',
);
const again = tenantStatement(
  'standing-formula-again',
  `SELECT id, name FROM standing_formula WHERE tenant_id = $1 AND (id = $2 OR name = $3) ORDER BY id <> $2 LIMIT 1`,
);
const head = tenantStatement(
  'standing-head',
  `SELECT (SELECT last_number FROM notification_counter WHERE tenant_id = $1) AS last,
     (SELECT version FROM standing_tenant WHERE tenant_id = $1) AS version`,
);

/** Finds a formula that watches; null if none has this name. */
export async function findWatched(db: TenantDb, name: string): Promise<WatchedName | null> {
  return (await db.query<WatchedName>(byName, [name])).rows[0] ?? null;
}

/**
 * Finds a formula under its current name. If its text was replaced, it has another id but the same name. Null if it
 * was deleted or no longer watches.
 */
export async function findAgain(db: TenantDb, { id, name }: WatchedName): Promise<WatchedName | null> {
  return (await db.query<WatchedName>(again, [id, name])).rows[0] ?? null;
}

type Head = Readonly<{ last: number; version: number }>;

/**
 * The number of the tenant's last notification, and the version of its formulas. Followers of a tenant that poll at
 * the same time share one statement.
 */
export async function readHead(db: TenantDb): Promise<Head> {
  const found = await db.batchLoad('standing-head', 'head', async () => {
    const { rows } = await db.query<{ last: number | null; version: number | null }>(head);
    return new Map([['head', rows[0]]]);
  });
  return { last: found?.last ?? 0, version: found?.version ?? 0 };
}
