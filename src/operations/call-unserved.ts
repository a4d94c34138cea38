import type { TenantCall, TenantQueue } from '../backing/index.ts';
import type { Logger } from '../observability/logger.ts';

/** Has tenants served whom nobody serves. */
export type Caller = Readonly<{
  call(leases: readonly TenantCall[]): Promise<void>;
  /** Resolves when none of those that were served without the queue is served any more. */
  ended(): Promise<void>;
}>;

/**
 * Calls for tenants that a look at the tables found: by the queue, so that the worker that has time
 * takes them. Where the queue is away this worker serves them itself; the turn, which is in the
 * database, keeps it apart from workers that do the same.
 */
export function createCaller(queue: TenantQueue, serve: (lease: TenantCall) => Promise<void>, logger: Logger): Caller {
  const served = new Map<number, Promise<void>>();

  function serveHere(lease: TenantCall): void {
    if (served.has(lease.tenantId)) return;
    // Should it end early, the next look finds the tenant again.
    const serving = serve(lease)
      .catch((error: unknown) => logger.debug({ error: String(error) }, 'a turn without the queue ended'))
      .finally(() => served.delete(lease.tenantId));
    served.set(lease.tenantId, serving);
  }

  return {
    async call(leases) {
      let isAway = false;
      for (const lease of leases) {
        try {
          // A queue that is away may take long to say so, and is not asked again for each tenant.
          if (!isAway) await queue.call(lease, { urgent: false, isRepeated: true });
        } catch {
          isAway = true;
        }
        if (isAway) serveHere(lease);
      }
    },
    async ended() {
      await Promise.all(served.values());
    },
  };
}
