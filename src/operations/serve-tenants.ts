import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { forTenant } from '../tenants/index.ts';
import { withSpan } from '../observability/tracing.ts';
import { pollMs, leaseMs } from './limits.ts';
import type { Limits } from './store/prepare-chunk.ts';
import { LeaseLostError } from './open-operation.ts';
import type { OpenOperation, TenantLease } from './open-operation.ts';
import { runOperation } from './run-operation.ts';
import { endLease, readLease, nextOperation, takeLease } from './statements.ts';
import type { WriteDeps } from './store/read-facts.ts';
import type { WorkerDeps } from './worker.ts';

/** What the turns of one worker have in common. */
export type ServeTenantsOptions = WorkerDeps &
  WriteDeps &
  Readonly<{
    processId: string;
    limits: Limits;
    /** Holders of the turns that this worker has now. */
    leaseIds: Set<string>;
    /** Elements are stored and may be analyzed now. */
    onStored: () => void;
    /** Fires when the worker closes: elements in flight may end. */
    closing: AbortSignal;
    /** Fires when they have had long enough. */
    ending: AbortSignal;
  }>;

/** What kept an operation from going on. */
class OperationFault extends Error {
  readonly operationId: number;

  constructor(operationId: number, cause: unknown) {
    super('an operation could not go on', { cause });
    this.operationId = operationId;
  }
}

/**
 * Works for a tenant until nothing is left or its next turn is called for: whoever has time takes
 * that, and this worker again where the queue is away.
 */
export async function serveTenants(tenantId: number, options: ServeTenantsOptions): Promise<void> {
  const { queue, logger, closing } = options;
  for (let isCalled = false; !isCalled;) {
    const isDone = await serveTenant(tenantId, options).catch((error: unknown) => {
      const { operationId, cause } = error as Partial<OperationFault>;
      const reported = { tenantId, operationId, error: String(operationId === undefined ? error : cause) };
      logger.error(reported, 'a turn ended early; it is called again');
      return true; // The sweep calls again, after a pause: a fault that stays must not spin.
    });
    if (isDone) return;
    isCalled = await queue.call({ tenantId }, { urgent: false }).then(
      () => true,
      () => closing.aborted,
    );
  }
}

/**
 * Takes a tenant's turn and works for it until nothing is left or the turn is over.
 *
 * @returns false when the turn is over and the tenant still has work.
 */
async function serveTenant(tenantId: number, options: ServeTenantsOptions): Promise<boolean> {
  const { database, processId, limits, leaseIds, closing, onStored, analysis } = options;
  const analysesByDefault = analysis?.isDefault ?? false;
  const db = forTenant(database, tenantId);
  const deadline = Date.now() + leaseMs;
  for (;;) {
    const leaseId = randomUUID();
    leaseIds.add(leaseId); // Before it is in the table, where the sweep looks for turns that are nobody's.
    try {
      const { rowCount } = await db.query(takeLease, [leaseId, processId]);
      if (rowCount === 0) return true; // Who has the turn looks again after it, see below.
      const isOver = () => closing.aborted || Date.now() > deadline;
      if (!(await drain({ db, holder: leaseId, processId, limits, isOver, onStored, analysesByDefault }, options)))
        return closing.aborted;
    } finally {
      leaseIds.delete(leaseId);
      await db.query(endLease, [leaseId]);
    }
    // An operation may have come after our last look, and its call found the turn taken.
    const { rows } = await db.query<OpenOperation>(nextOperation);
    if (rows.length === 0) return true;
  }
}

/** @returns false when the turn ended before the tenant's work. */
async function drain(lease: Omit<TenantLease, 'signal'>, options: ServeTenantsOptions): Promise<boolean> {
  while (!lease.isOver()) {
    const { rows } = await lease.db.query<OpenOperation>(nextOperation);
    const [operation] = rows;
    if (operation === undefined) return true;
    const { signal, stop } = watchOperation(lease, operation.id, options);
    try {
      const reported = { 'vitrine.operation_id': operation.id, 'vitrine.kind': operation.kind };
      const logger = options.logger.child({ operationId: operation.id });
      await withSpan('operation store', reported, () =>
        runOperation({ ...lease, signal }, operation, { ...options, logger }),
      );
    } catch (error) {
      if (error instanceof LeaseLostError) return true;
      throw new OperationFault(operation.id, error);
    } finally {
      stop();
    }
  }
  return false;
}

/**
 * A signal that fires when an operation is aborted or the turn is lost. Notifications tell at once;
 * a look at the tables now and then tells what was missed, and keeps the turn.
 */
function watchOperation(
  { db, holder: leaseId }: Pick<TenantLease, 'db' | 'holder'>,
  id: number,
  { notifications, ending }: ServeTenantsOptions,
): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // Every element that is read or decoded listens.
  const leave = () => controller.abort(new LeaseLostError());
  const forget = notifications.on('vitrine_operation', (payload) => {
    if (payload === `${id}:aborting`) controller.abort();
  });
  const look = async () => {
    const { rows } = await db.query<{ isAborting: boolean }>(readLease, [leaseId, id]);
    if (rows[0] === undefined) leave();
    else if (rows[0].isAborting) controller.abort();
  };
  const timer = setInterval(() => void look().catch(() => {}), pollMs); // A database that is away tells nothing.
  if (ending.aborted) leave();
  ending.addEventListener('abort', leave);
  return {
    signal: controller.signal,
    stop() {
      clearInterval(timer);
      ending.removeEventListener('abort', leave);
      forget();
      leave(); // What is still being read ahead ends with the turn.
    },
  };
}
