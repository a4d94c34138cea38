import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { forTenant } from '../../tenants/index.ts';
import { withSpan } from '../../observability/tracing.ts';
import { pollMs, leaseMs } from '../limits.ts';
import type { StoreLimits } from '../store/limits.ts';
import { LeaseLostError } from '../run/open-operation.ts';
import type { OpenOperation, TenantLease } from '../run/open-operation.ts';
import { storesOneByOne, countFault } from '../run/patience.ts';
import type { Patience } from '../run/patience.ts';
import { runOperation } from '../run/run-operation.ts';
import { repeat } from '../../lib/repeat.ts';
import { endLease, readLease, nextOperation, takeLease } from '../statements.ts';
import type { WriteDeps } from '../store/read-facts.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** Options that the leases of one worker share. */
export type ServeTenantsOptions = WorkerDeps &
  WriteDeps &
  Readonly<{
    processId: string;
    limits: StoreLimits;
    /** Patience with operations that cannot be stored. */
    patience: Patience;
    /** Ids of the leases that this worker has now. */
    leaseIds: Set<string>;
    /** Called when elements are stored and may be analyzed. */
    onStored: () => void;
    /** Fires when the worker closes: elements in flight may finish. */
    closing: AbortSignal;
    /** Fires when the time for elements in flight to finish is over. */
    ending: AbortSignal;
  }>;

/** The error that stopped an operation. */
class OperationFault extends Error {
  readonly operationId: number;

  constructor(operationId: number, cause: unknown) {
    super('an operation could not continue', { cause });
    this.operationId = operationId;
  }
}

/**
 * Works for a tenant until nothing is left, or until the lease is over and the queue has been called: any free worker
 * takes that call. If the queue is unavailable, this worker goes on.
 */
export async function serveTenants(tenantId: number, options: ServeTenantsOptions): Promise<void> {
  const { queue, logger, closing } = options;
  for (let isCalled = false; !isCalled;) {
    const isDone = await serveTenant(tenantId, options).catch((error: unknown) => {
      const { operationId, cause } = error as Partial<OperationFault>;
      const reported = { tenantId, operationId, error: String(operationId === undefined ? error : cause) };
      logger.error(reported, 'a tenant lease ended early; it is retried');
      return true; // The sweep calls again after a pause: a persistent fault must not spin.
    });
    if (isDone) return;
    isCalled = await queue.call({ tenantId }, { urgent: false }).then(
      () => true,
      () => closing.aborted,
    );
  }
}

/**
 * Takes a tenant's lease and works until nothing is left or the lease is over.
 *
 * @returns false if the lease is over and the tenant still has work.
 */
async function serveTenant(tenantId: number, options: ServeTenantsOptions): Promise<boolean> {
  const { database, processId, limits, leaseIds, closing, onStored, analysis } = options;
  const analysesByDefault = analysis?.isDefault ?? false;
  const db = forTenant(database, tenantId);
  const { stores } = database.fairConnections;
  const deadline = performance.now() + leaseMs;
  for (;;) {
    const leaseId = randomUUID();
    leaseIds.add(leaseId); // Before the row exists, because the sweep removes leases whose id is not in this set.
    try {
      const { rowCount } = await db.query(takeLease, [leaseId, processId]);
      if (rowCount === 0) return true; // The worker with the lease checks again when it ends, see below.
      const isOver = () => closing.aborted || performance.now() > deadline;
      if (!(await drain({ db, leaseId, processId, limits, stores, isOver, onStored, analysesByDefault }, options)))
        return closing.aborted;
    } finally {
      leaseIds.delete(leaseId);
      await db.query(endLease, [leaseId]);
    }
    // An operation may have arrived after the last check, and its call found the lease taken.
    const { rows } = await db.query<OpenOperation>(nextOperation);
    if (rows.length === 0) return true;
  }
}

/** @returns false if the lease is over before the tenant's work is done. */
async function drain(lease: Omit<TenantLease, 'signal'>, options: ServeTenantsOptions): Promise<boolean> {
  while (!lease.isOver()) {
    const { rows } = await lease.db.query<OpenOperation>(nextOperation);
    const [operation] = rows;
    if (operation === undefined) return true;
    const { signal, stop } = signalOf(lease, operation.id, options);
    try {
      const reported = { 'vitrine.operation_id': operation.id, 'vitrine.kind': operation.kind };
      const logger = options.logger.child({ operationId: operation.id });
      const isOneByOne = storesOneByOne(operation, options.patience);
      await withSpan('operation store', reported, () =>
        runOperation({ ...lease, signal }, operation, { ...options, logger, isOneByOne }),
      );
    } catch (error) {
      if (error instanceof LeaseLostError) return true;
      await countFault(lease.db, operation, error, options.patience);
      throw new OperationFault(operation.id, error);
    } finally {
      stop();
    }
  }
  return false;
}

/**
 * A signal that fires when an operation is aborted or the lease is lost. Notifications tell at once; polling makes up
 * for lost ones, and renews the lease.
 */
function signalOf(
  { db, leaseId }: Pick<TenantLease, 'db' | 'leaseId'>,
  id: number,
  { notifications, ending }: ServeTenantsOptions,
): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // Every element that is read or decoded listens.
  const leave = () => controller.abort(new LeaseLostError());
  const forget = notifications.on('vitrine_operation', (payload) => {
    if (payload === `${id}:aborting`) controller.abort();
  });
  const poll = async () => {
    const { rows } = await db.query<{ isAborting: boolean }>(readLease, [leaseId, id]);
    if (rows[0] === undefined) leave();
    else if (rows[0].isAborting) controller.abort();
  };
  const stopPolling = repeat(poll, pollMs, () => {}); // An unavailable database says nothing about the lease.
  if (ending.aborted) leave();
  ending.addEventListener('abort', leave);
  return {
    signal: controller.signal,
    stop() {
      void stopPolling();
      ending.removeEventListener('abort', leave);
      forget();
      leave(); // Stops reading ahead.
    },
  };
}
