import type { Queryable } from '../backing/index.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { NotificationKind } from './kinds.ts';
import { notificationLimits } from './limits.ts';

/** A standing formula: its id, and its name when it was looked up. */
export type WatchedName = Readonly<{ id: number; name: string }>;

/** What a notification reports. */
export type NewNotification = Readonly<{
  kind: NotificationKind;
  resource?: 'image' | 'video' | null;
  /** Id of the record. */
  ref?: string | null;
  /** Name of the standing formula. */
  formula?: string | null;
  operationId?: number | null;
  /** Small and flat: it is sent with the notification. */
  data?: Readonly<Record<string, unknown>>;
}>;

/** A notification in the tenant's log. */
export type Notification = Required<NewNotification> &
  Readonly<{
    /** Increases per tenant, in commit order. */
    number: number;
    at: Date;
  }>;

const add = tenantStatement(
  'add-notifications',
  `WITH counted AS (
     INSERT INTO notification_counter AS c (tenant_id, last_number) VALUES ($1, json_array_length($2::json))
     ON CONFLICT (tenant_id) DO UPDATE SET last_number = c.last_number + EXCLUDED.last_number
     RETURNING last_number - json_array_length($2::json) AS before
   ), added AS (
     INSERT INTO notification (tenant_id, number, kind, resource, ref, formula, operation_id, data)
     SELECT $1, counted.before + n.number, n.kind, n.resource, n.ref, n.formula, n.operation_id, COALESCE(n.data, '{}')
     FROM counted, ROWS FROM (
       json_to_recordset($2::json) AS (
         kind text, resource operation_resource, ref text, formula text, operation_id bigint, data jsonb)
     ) WITH ORDINALITY AS n(kind, resource, ref, formula, operation_id, data, number)
   )
   SELECT pg_notify('vitrine_notification', $1::int::text) FROM counted`,
);

/**
 * Appends to the tenant's log, in the same transaction as the reported change. It takes a lock that blocks other writers of
 * the log until the transaction ends, so it must come last.
 */
export async function addNotifications(
  db: TenantDb,
  client: Queryable,
  notifications: readonly NewNotification[],
): Promise<void> {
  if (notifications.length === 0) return;
  const rows = notifications.map(({ operationId, ...rest }) => ({ ...rest, operation_id: operationId }));
  await db.query(add, [JSON.stringify(rows)], client);
}

const columns = `number, at, kind, resource, ref, formula, operation_id AS "operationId", data`;

const read = tenantStatement(
  'read-notifications',
  `SELECT ${columns} FROM notification WHERE tenant_id = $1 AND number > $2 ORDER BY number LIMIT $3`,
);

/** If a formula is renamed between two statements, its events are found under its new name. */
const readOfFormula = tenantStatement(
  'read-notifications-of-formula',
  `SELECT ${columns} FROM notification WHERE tenant_id = $1 AND number > $2
     AND formula = COALESCE((SELECT f.name FROM standing_formula f WHERE f.tenant_id = $1 AND f.id = $4), $5)
   ORDER BY number LIMIT $3`,
);

const rename = tenantStatement(
  'rename-formula-of-notifications',
  'UPDATE notification SET formula = $3 WHERE tenant_id = $1 AND formula = $2',
);

const last = tenantStatement(
  'last-notification',
  'SELECT last_number AS "lastNumber" FROM notification_counter WHERE tenant_id = $1',
);

/** Returns the notifications after a number, in order; if a standing formula is given, only those of that formula. */
export async function readNotifications(
  db: TenantDb,
  {
    after,
    limit = notificationLimits.read,
    formula,
  }: Readonly<{ after: number; limit?: number; formula?: WatchedName | undefined }>,
): Promise<readonly Notification[]> {
  const { rows } =
    formula === undefined
      ? await db.query<Notification>(read, [after, limit])
      : await db.query<Notification>(readOfFormula, [after, limit, formula.id, formula.name]);
  return rows;
}

/** Renames the events of a formula that was renamed, so that they are found under its new name. */
export async function renameFormulaOfNotifications(db: TenantDb, name: string, to: string): Promise<void> {
  await db.query(rename, [name, to]);
}

/** Returns the number of the tenant's last notification; 0 if there is none yet. */
export async function lastNotification(db: TenantDb): Promise<number> {
  return (await db.query<{ lastNumber: number }>(last)).rows[0]?.lastNumber ?? 0;
}
