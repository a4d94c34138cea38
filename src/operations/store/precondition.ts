import { findRecordVersion, meetsVersion } from '../../catalog/index.ts';
import type { IfMatch, WriteElement } from '../../catalog/index.ts';
import type { Queryable } from '../../backing/index.ts';
import { AppError } from '../../lib/errors.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { operationKinds } from '../kinds.ts';
import type { OperationKindName } from '../kinds.ts';

const openOperations = tenantStatement(
  'has-open-operations',
  'SELECT true FROM operation WHERE tenant_id = $1 AND finished_at IS NULL LIMIT 1',
);

/**
 * Refuses a write at once if its `If-Match` or `If-None-Match` is certain to fail: a former version never comes back,
 * but whether the record will exist is only certain while no write is pending. The check that counts is part of the
 * write itself. For several elements it is the only one, and reports each element separately.
 *
 * @throws AppError `precondition_failed`
 */
export async function checkPrecondition(
  db: TenantDb,
  { kind, elements }: Readonly<{ kind: OperationKindName; elements: readonly WriteElement[] }>,
  client?: Queryable,
): Promise<void> {
  const { resource } = operationKinds[kind];
  const [only, ...others] = elements;
  if (only?.ifMatch === undefined || others.length > 0) return;
  const { id, ifMatch } = only;
  const version = await findRecordVersion(db, resource as 'image' | 'video', id, client);
  if (version === null ? ifMatch === 'absent' : meetsVersion(ifMatch, version)) return;
  if (!Array.isArray(ifMatch) && (await db.query(openOperations, [], client)).rows.length > 0) return;
  throw failed(ifMatch);
}

function failed(ifMatch: IfMatch): AppError {
  if (ifMatch === 'absent') return new AppError('precondition_failed', 'A record with this id exists');
  return new AppError('precondition_failed', 'The record does not match If-Match', {
    hint: 'Read it again, and send its new ETag',
  });
}
