import type { Queryable } from '../backing/index.ts';
import { tenantStatement } from './for-tenant.ts';
import type { TenantDb } from './for-tenant.ts';

/** The closed list of what the trail records, with its meaning. */
export const auditActions = {
  'key.created': 'an API key was created; subject: the key',
  'key.revoked': 'an API key was revoked; subject: the key',
  'key.rotated': 'an API key was rotated; subject: the old key',
  'tenant.created': 'the tenant was created',
  'tenant.changed': 'a flag or limit was set; subject: what was set',
  'operation.accepted': 'a write was accepted; subject: its kind',
  'operation.aborted': 'an operation was aborted',
  'verdict.given': 'a verdict on two images was given; subject: the verdict and their ids',
  'verdict.withdrawn': 'a verdict on two images was withdrawn; subject: the verdict and their ids',
  'access.forbidden': 'a key lacked a scope; subject: the scope',
  'access.rate_limited': 'a key exceeded its rate limit; subject: the class',
  'access.invalid_key': 'an invalid key was used; subject: why',
} as const;

export type AuditAction = keyof typeof auditActions;

export function isAuditAction(name: string): name is AuditAction {
  return Object.hasOwn(auditActions, name);
}

/** Who asked, and by which request. */
export type Actor = Readonly<{
  keyId: number | null;
  keyPrefix: string | null;
  requestId: string | null;
  address: string | null;
}>;

/** The person at the command line, or the service itself. */
export const operator: Actor = { keyId: null, keyPrefix: null, requestId: null, address: null };

/** The columns of an actor, and what a caller passes for them. */
export const actorColumns = 'api_key_id, key_prefix, request_id, address';
export function actorValues({ keyId, keyPrefix, requestId, address }: Actor): readonly unknown[] {
  return [keyId, keyPrefix, requestId, address];
}

const insertEntry = tenantStatement(
  'record-audit',
  `INSERT INTO audit (tenant_id, ${actorColumns}, action, subject, operation_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

export type AuditNote = Readonly<{ action: AuditAction; subject?: string | null; operationId?: number | null }>;

/** Writes an entry; with the client of a transaction it stands or falls with what it tells of. */
export async function recordAudit(
  db: TenantDb,
  actor: Actor,
  { action, subject = null, operationId = null }: AuditNote,
  client?: Queryable,
): Promise<void> {
  await db.query(insertEntry, [...actorValues(actor), action, subject, operationId], client);
}

/** How long entries of the trail and counts of use are kept. */
export const keepAuditDays = 90;
