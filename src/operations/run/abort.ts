import { recordAudit } from '../../tenants/index.ts';
import type { Actor, TenantDb } from '../../tenants/index.ts';
import { dropAnalysis } from '../analyze/statements.ts';
import { endOperation } from './end-operation.ts';
import { askToAbort } from '../statements.ts';
import { lockOperation } from './statements.ts';

/**
 * Aborts an operation. A queued one ends at once; a running one stops after the elements in flight; one that is being
 * analyzed skips the rest of its analysis; a finished one stays as it is. Needs only the database, neither the queue
 * nor a worker.
 *
 * @returns false if the tenant has no such operation.
 */
export async function abortOperation(db: TenantDb, id: number, by: Actor): Promise<boolean> {
  return db.transaction(async (client) => {
    const { rows } = await db.query<{ state: string }>(lockOperation, [id], client);
    const state = rows[0]?.state;
    if (state === 'queued' || state === 'analyzing') await endOperation(db, id, { isAborted: true, client });
    if (state === 'analyzing') await db.query(dropAnalysis, [id], client);
    if (state === 'running') await db.query(askToAbort, [id], client);
    if (state !== undefined && state !== 'aborting' && state !== 'finished') {
      await recordAudit(db, by, { action: 'operation.aborted', operationId: id }, client);
    }
    return state !== undefined;
  });
}
