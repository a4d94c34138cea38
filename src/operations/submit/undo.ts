import { changedRows } from '../../catalog/index.ts';
import type { OnConflict, Resource, WriteElement } from '../../catalog/index.ts';
import { AppError } from '../../lib/errors.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { OperationKindName } from '../kinds.ts';

/** A write that undoes an operation, and the API key of that operation. */
export type Undo = Readonly<{
  kind: OperationKindName;
  resource: Resource;
  elements: readonly WriteElement[];
  apiKeyId: number | null;
}>;

/**
 * The write that undoes an operation: it reverts each record that the operation changed.
 *
 * @returns null if the tenant has no such operation.
 * @throws AppError `invalid_argument` for an operation that has not ended, or that has changed nothing.
 */
export async function readUndo(db: TenantDb, id: number, onConflict: OnConflict): Promise<Undo | null> {
  const found = await db.prisma.operation.findFirst({
    where: { id },
    select: { resource: true, state: true, apiKeyId: true },
  });
  if (found === null) return null;
  const { resource, state, apiKeyId } = found;
  if (resource === 'celebs') throw new Error('an operation on a resource that is never written');
  if (state !== 'finished') {
    throw new AppError('invalid_argument', `Operation ${id} is not finished`, {
      argument: 'id',
      hint: 'Wait until it ends, or abort it',
    });
  }
  const rows = await changedRows(db, resource, id);
  if (rows.length === 0) {
    throw new AppError('invalid_argument', `Operation ${id} has changed nothing that could be undone`, {
      argument: 'id',
      hint: 'HISTORY_DAYS says how long changes are kept',
    });
  }
  const elements = rows.map(({ id: record, rows: own }) => {
    return { id: record, values: {}, revert: { operation: id, rows: own, onConflict } };
  });
  return { kind: `${resource}s.undo`, resource, elements, apiKeyId };
}
