import type { Queryable } from '../backing/index.ts';
import { tenantStatement } from './for-tenant.ts';
import type { TenantDb } from './for-tenant.ts';
import type { AuditAction } from './audit-actions.ts';

/** Who sent a request, and the id of the request. */
export type Actor = Readonly<{
  keyId: number | null;
  keyPrefix: string | null;
  requestId: string | null;
  address: string | null;
}>;

/** Whoever sits at the command line, or the service itself. */
export const operator: Actor = { keyId: null, keyPrefix: null, requestId: null, address: null };

/** The columns of an actor, and their values. */
export const actorColumns = 'api_key_id, key_prefix, request_id, address';
export function actorValues({ keyId, keyPrefix, requestId, address }: Actor): readonly unknown[] {
  return [keyId, keyPrefix, requestId, address];
}

const insertEntry = tenantStatement(
  'record-audit',
  `INSERT INTO audit (tenant_id, ${actorColumns}, action, subject, operation_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

type AuditNote = Readonly<{ action: AuditAction; subject?: string | null; operationId?: number | null }>;

/** Writes an entry; given the client of a transaction, as part of that transaction. */
export async function recordAudit(
  db: TenantDb,
  actor: Actor,
  { action, subject = null, operationId = null }: AuditNote,
  client?: Queryable,
): Promise<void> {
  await db.query(insertEntry, [...actorValues(actor), action, subject, operationId], client);
}

/** How long entries of the audit trail and counts of usage are kept. */
export const keepAuditDays = 90;
