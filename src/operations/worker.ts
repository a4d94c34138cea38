import { randomUUID } from 'node:crypto';
import type { Database, Notifications, TurnQueue } from '../backing/index.ts';
import { forTenant } from '../tenants/index.ts';
import { parallelTurns, renewMs, sweepMs, turnMs } from './limits.ts';
import { announceWorker } from './presence.ts';
import { startRetention } from './retention.ts';
import { runOperation, TurnLostError } from './run-operation.ts';
import type { OpenOperation, Turn } from './run-operation.ts';
import { endTurn, nextOperation, renewTurn, takeTurn } from './statements.ts';
import type { ImageWriteDeps } from './write-images.ts';

export type WorkerDeps = ImageWriteDeps &
  Readonly<{ database: Database; queue: TurnQueue; notifications: Notifications }>;

export type OperationWorker = Readonly<{
  /** Lets the chunks in flight end; what is left stays queued. */
  close(): Promise<void>;
}>;

/** Tenants with work to do whom no living worker serves. */
const unserved = `
  SELECT DISTINCT o.tenant_id AS "tenantId" FROM operation o
  WHERE o.state <> 'finished'
    AND NOT EXISTS (SELECT FROM tenant_turn t WHERE t.tenant_id = o.tenant_id AND t.expires_at >= now())`;

/**
 * Serves tenants in turns: one worker at a time stores for a tenant, in the tenant's order, and
 * after a slice of time those who wait come first.
 */
export function startWorker(deps: WorkerDeps): OperationWorker {
  const { database, queue, logger } = deps;
  const closing = new AbortController();

  async function serve({ tenantId }: { tenantId: number }): Promise<void> {
    if (closing.signal.aborted) return;
    const isDone = await serveTenant(tenantId, deps, closing.signal).catch((error: unknown) => {
      if (!closing.signal.aborted)
        logger.error({ tenantId, error: String(error) }, 'a turn ended early; it is called again');
      return true; // The sweep calls again, after a pause: a fault that stays must not spin.
    });
    if (!isDone) await queue.call({ tenantId }, { urgent: false });
  }

  const presence = announceWorker(database);
  const retention = startRetention(database, logger);

  async function sweep(): Promise<void> {
    await presence.renew();
    const { rows } = await database.pool.query<{ tenantId: number }>(unserved);
    for (const turn of rows) await queue.call(turn, { urgent: false });
  }

  const worker = queue.work({ concurrency: parallelTurns, handle: serve });
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => logger.warn({ error: String(error) }, 'the sweep for waiting operations failed'));
  }, sweepMs);
  void sweep().catch(() => {}); // The timer tries again and reports.
  return {
    async close() {
      clearInterval(timer);
      closing.abort();
      await worker.close();
      await retention.close();
      await presence.end();
    },
  };
}

/** @returns false when the turn is over and the tenant still has work. */
async function serveTenant(tenantId: number, deps: WorkerDeps, closing: AbortSignal): Promise<boolean> {
  const db = forTenant(deps.database, tenantId);
  const deadline = Date.now() + turnMs;
  for (;;) {
    const holder = randomUUID();
    const { rowCount } = await db.query(takeTurn, [holder]);
    if (rowCount === 0) return true; // Who has the turn looks again after it, see below.
    const timer = setInterval(() => void db.query(renewTurn, [holder]).catch(() => {}), renewMs);
    try {
      const isOver = () => closing.aborted || Date.now() > deadline;
      if (!(await drain({ db, holder, isOver }, deps))) return closing.aborted;
    } finally {
      clearInterval(timer);
      await db.query(endTurn, [holder]);
    }
    // An operation may have come after our last look, and its call found the turn taken.
    const { rows } = await db.query<OpenOperation>(nextOperation);
    if (rows.length === 0) return true;
  }
}

/** @returns false when the turn ended before the tenant's work. */
async function drain(turn: Omit<Turn, 'signal'>, deps: WorkerDeps): Promise<boolean> {
  while (!turn.isOver()) {
    const { rows } = await turn.db.query<OpenOperation>(nextOperation);
    const [operation] = rows;
    if (operation === undefined) return true;
    const stop = new AbortController();
    const forget = deps.notifications.on('vitrine_operation', (payload) => {
      if (payload === `${operation.id}:aborting`) stop.abort();
    });
    try {
      await runOperation({ ...turn, signal: stop.signal }, operation, deps);
    } catch (error) {
      if (error instanceof TurnLostError) return true;
      throw error;
    } finally {
      forget();
    }
  }
  return false;
}

/** Frees the turns of a process that died, when no other process can hold one. */
export async function releaseAllTurns({ pool }: Database): Promise<void> {
  await pool.query('DELETE FROM tenant_turn');
}
