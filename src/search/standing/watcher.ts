import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Notifications } from '../../backing/index.ts';
import type { Logger } from '../../observability/logger.ts';
import { forTenant } from '../../tenants/index.ts';
import type { SimilarityServices } from '../query/resolve-similarity.ts';
import { standingLimits } from './limits.ts';
import { runRound } from './round.ts';
import type { Plans } from './round.ts';

/** How often the table is read even without a notification. */
const pollMs = 1_000;
/** Pause after a fault. */
const faultMs = 1_000;
/**
 * Maximum pause after a full round with more changes waiting: writers get as much time as the round took, up to this.
 */
const restMs = 500;

const waiting = `
  SELECT s.tenant_id AS "tenantId" FROM standing_tenant s WHERE s.formulas > 0 AND (
    EXISTS (SELECT FROM standing_outbox o WHERE o.tenant_id = s.tenant_id)
    OR s.clock_at < now() - interval '${standingLimits.clockMs} ms')`;

type WatcherDeps = SimilarityServices & Readonly<{ database: Database; notifications: Notifications; logger: Logger }>;

/** Evaluates standing formulas for changed records. */
type Watcher = Readonly<{ close(): Promise<void> }>;

/**
 * Reports records that start or stop matching standing formulas, right after each commit. Every worker does this, but
 * only one at a time for each tenant.
 */
export function startWatcher(deps: WatcherDeps): Watcher {
  const { database, notifications, logger } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const plans: Plans = new Map();
  const running = new Map<number, Promise<void>>();
  /** Tenants that had changes during their round. */
  const again = new Set<number>();

  async function serve(tenantId: number): Promise<void> {
    const db = forTenant(database, tenantId);
    for (let hasMore = true; hasMore && !signal.aborted;) {
      again.delete(tenantId);
      const began = performance.now();
      const result = await runRound(db, { services: deps, plans, signal });
      hasMore = result.hasMore || again.has(tenantId);
      if (!result.hasMore) continue;
      const rest = Math.min(performance.now() - began, restMs);
      await sleep(rest, undefined, { signal }).catch(() => {});
    }
  }

  function wake(tenantId: number): void {
    if (signal.aborted) return;
    if (running.has(tenantId)) return void again.add(tenantId);
    const run = serve(tenantId)
      .catch(async (error: unknown) => {
        if (signal.aborted) return;
        logger.warn({ tenantId, error: String(error) }, 'cannot evaluate standing formulas');
        await sleep(faultMs, undefined, { signal }).catch(() => {});
      })
      .finally(() => {
        running.delete(tenantId);
        if (again.delete(tenantId)) wake(tenantId);
      });
    running.set(tenantId, run);
  }

  async function poll(): Promise<void> {
    const { rows } = await database.pool.query<{ tenantId: number }>(waiting);
    for (const { tenantId } of rows) if (!running.has(tenantId)) wake(tenantId);
  }

  const forget = notifications.on('vitrine_standing', (payload) => wake(Number(payload)));
  let polling: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    polling = poll().catch(() => {}); // The next poll retries.
  }, pollMs).unref();
  return {
    async close() {
      stopping.abort();
      forget();
      clearInterval(timer);
      await Promise.all([polling, ...running.values()]);
    },
  };
}
