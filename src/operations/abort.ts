import { inTransaction } from '../backing/index.ts';
import { recordAudit } from '../tenants/index.ts';
import type { Actor, TenantDb } from '../tenants/index.ts';
import { askToAbort, finishOperation, lockOperation } from './statements.ts';

/**
 * Aborts an operation: one that has not begun ends at once, a running one stops after the elements
 * in flight, a finished one stays as it is. Needs the database only, no queue and no worker.
 *
 * @returns false when the tenant has no such operation.
 */
export async function abortOperation(db: TenantDb, id: number, by: Actor): Promise<boolean> {
  return inTransaction(db.pool, async (client) => {
    const { rows } = await db.query<{ state: string }>(lockOperation, [id], client);
    const state = rows[0]?.state;
    if (state === 'queued') await db.query(finishOperation, [id, true], client);
    if (state === 'running') await db.query(askToAbort, [id], client);
    if (state === 'queued' || state === 'running') {
      await recordAudit(db, by, { action: 'operation.aborted', operationId: id }, client);
    }
    return state !== undefined;
  });
}
