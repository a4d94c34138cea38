import type { TenantCall, TenantQueue } from '../../backing/index.ts';
import type { Logger } from '../../observability/logger.ts';
import { sweepMs } from '../limits.ts';

/**
 * Tenants with pending work that no worker serves, although its queue call must have arrived by now. Looks at one
 * operation of each tenant: very many may be waiting.
 */
export const unservedTenants = `
  SELECT t.id AS "tenantId" FROM tenant t
  WHERE EXISTS (
    SELECT FROM operation o WHERE o.tenant_id = t.id AND o.state IN ('queued', 'running', 'aborting')
      AND o.created_at < now() - interval '${sweepMs} ms'
  ) AND NOT EXISTS (SELECT FROM tenant_lease l WHERE l.tenant_id = t.id AND l.expires_at >= now())`;

/** Calls workers for tenants that nobody serves. */
type UnservedCaller = Readonly<{
  call(calls: readonly TenantCall[]): Promise<void>;
  /** Resolves when this worker is done with the tenants that it serves without the queue. */
  ended(): Promise<void>;
}>;

/**
 * Calls workers, through the queue, for tenants that a check of the tables has found: any free worker takes them. If
 * the queue is unavailable, this worker serves them itself; the lease in the database keeps other workers from doing
 * the same.
 */
export function createUnservedCaller(
  queue: TenantQueue,
  serve: (call: TenantCall) => Promise<void>,
  logger: Logger,
): UnservedCaller {
  const served = new Map<string, Promise<void>>();

  function serveHere(call: TenantCall): void {
    const key = `${call.tenantId} ${call.work ?? ''}`;
    if (served.has(key)) return;
    // If it ends early, the next check finds the tenant again.
    const serving = serve(call)
      .catch((error: unknown) => logger.debug({ error: String(error) }, 'a tenant lease without the queue ended'))
      .finally(() => served.delete(key));
    served.set(key, serving);
  }

  return {
    async call(calls) {
      let isUnavailable = false;
      for (const call of calls) {
        try {
          // An unavailable queue may take long to fail, so it is not tried again for the other tenants.
          if (!isUnavailable) await queue.call(call, { urgent: false, isRepeated: true });
        } catch {
          isUnavailable = true;
        }
        if (isUnavailable) serveHere(call);
      }
    },
    async ended() {
      await Promise.all(served.values());
    },
  };
}
