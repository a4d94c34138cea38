import type { TenantCall, TenantQueue } from '../../backing/index.ts';
import type { Logger } from '../../observability/logger.ts';

/** Calls workers for unserved tenants. */
export type UnservedCaller = Readonly<{
  call(leases: readonly TenantCall[]): Promise<void>;
  /** Resolves when all tenants that are served without the queue are done. */
  ended(): Promise<void>;
}>;

/**
 * Calls workers for tenants that a check of the tables found, through the queue, so that a free worker takes them. If the
 * queue is unavailable, this worker serves them itself; the lease in the database excludes other workers that do the same.
 */
export function createUnservedCaller(
  queue: TenantQueue,
  serve: (lease: TenantCall) => Promise<void>,
  logger: Logger,
): UnservedCaller {
  const served = new Map<string, Promise<void>>();

  function serveHere(lease: TenantCall): void {
    const place = `${lease.tenantId} ${lease.work ?? ''}`;
    if (served.has(place)) return;
    // If it ends early, the next check finds the tenant again.
    const serving = serve(lease)
      .catch((error: unknown) => logger.debug({ error: String(error) }, 'a tenant lease without the queue ended'))
      .finally(() => served.delete(place));
    served.set(place, serving);
  }

  return {
    async call(leases) {
      let isUnavailable = false;
      for (const lease of leases) {
        try {
          // An unavailable queue may take long to fail, so it is not called again for each tenant.
          if (!isUnavailable) await queue.call(lease, { urgent: false, isRepeated: true });
        } catch {
          isUnavailable = true;
        }
        if (isUnavailable) serveHere(lease);
      }
    },
    async ended() {
      await Promise.all(served.values());
    },
  };
}
