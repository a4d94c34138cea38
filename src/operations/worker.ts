import { setMaxListeners } from 'node:events';
import type { Database, Notifications, TenantQueue } from '../backing/index.ts';
import { closeAll } from '../lib/close-all.ts';
import type { TenantIndexes } from '../search/index.ts';
import { createVideoReader } from '../analysis/index.ts';
import { startAnalyst } from './analyze/analyst.ts';
import { createSourceBytesCache } from './analyze/source-bytes-cache.ts';
import { createCaller } from './call-unserved.ts';
import { closeMs, parallelLeases, sweepMs } from './limits.ts';
import { createLimits } from './store/prepare-chunk.ts';
import { announceWorker, buryDeadWorkers } from './presence.ts';
import type { WriteDeps } from './store/read-facts.ts';
import { startRetention } from './retention.ts';
import { faultTeller } from './report-fault.ts';
import { serveTenants } from './serve-tenants.ts';
import type { ServeTenantsOptions } from './serve-tenants.ts';

export type WorkerDeps = Omit<WriteDeps, 'readVideo' | 'similar'> &
  Readonly<{
    database: Database;
    queue: TenantQueue;
    notifications: Notifications;
    /** Threads that decode. */
    workers: number;
    /** Folders below which it reads sources, for others to know. */
    mediaRoots?: readonly string[];
    /** Whether stored pictures are analyzed for tenants that do not say, and whether that is left to other processes. */
    analysis?: Readonly<{ isDefault: boolean; isElsewhere?: boolean }>;
    /** What answers formulas that ask for similar images. */
    similar?: TenantIndexes;
  }>;

export type OperationWorker = Readonly<{
  /** Lets the chunks in flight end; what is left stays queued. */
  close(): Promise<void>;
}>;

/** Tenants with work to do whom nobody serves, although their call must have come by now. */
const unserved = `
  SELECT DISTINCT o.tenant_id AS "tenantId" FROM operation o
  WHERE o.state IN ('queued', 'running', 'aborting') AND o.created_at < now() - interval '${sweepMs} ms'
    AND NOT EXISTS (SELECT FROM tenant_turn t WHERE t.tenant_id = o.tenant_id AND t.expires_at >= now())`;

/** Turns of this process that none of its calls works on: the database was away when they ended. */
const forgottenLeases = 'DELETE FROM tenant_turn WHERE process_id = $1 AND holder <> ALL($2::uuid[])';

/**
 * Serves tenants in turns: one worker at a time stores for a tenant, in the tenant's order, and
 * after a slice of time those who wait come first.
 */
export function startWorker(deps: WorkerDeps): OperationWorker {
  const { database, notifications, queue, logger, analysis } = deps;
  const presence = announceWorker(database, notifications, deps.mediaRoots ?? []);
  const closing = new AbortController();
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // Every turn listens.
  const leaseIds = new Set<string>();
  const sourceBytes = createSourceBytesCache();
  const videos = createVideoReader();
  const limits = createLimits(deps.workers);
  const analysisProcess = { sourceBytes, readVideo: videos.read, videos: limits.videos, processId: presence.id };
  const analyses = analysis !== undefined && analysis.isElsewhere !== true;
  const analyst = analyses ? startAnalyst({ ...deps, ...analysisProcess }) : undefined;
  const options: ServeTenantsOptions = {
    ...deps,
    readVideo: videos.read,
    ...(analyses && analysis.isDefault && { sourceBytes }),
    onStored: () => analyst?.wake(),
    processId: presence.id,
    limits,
    leaseIds,
    closing: closing.signal,
    ending: ending.signal,
  };

  async function serve({ tenantId }: { tenantId: number }): Promise<void> {
    if (closing.signal.aborted) return;
    await presence.announced();
    await serveTenants(tenantId, options);
  }

  const unservedCalls = createCaller(queue, serve, logger);

  const retention = startRetention(database, logger);

  async function sweep(): Promise<void> {
    await presence.renew();
    await buryDeadWorkers(database, presence.id);
    await database.pool.query(forgottenLeases, [presence.id, [...leaseIds]]);
    await analyst?.sweep();
    const { rows } = await database.pool.query<{ tenantId: number }>(unserved);
    await unservedCalls.call(rows);
  }

  const worker = queue.work({ concurrency: parallelLeases, handle: serve });
  const stopSweeping = repeat(sweep, faultTeller(deps, 'the sweep for waiting operations failed'));
  return {
    async close() {
      const stopped = stopSweeping();
      closing.abort();
      const overdue = setTimeout(() => ending.abort(), closeMs);
      const working = Promise.allSettled([worker.close(), analyst?.close(), unservedCalls.ended()]);
      await closeAll([
        async () => throwFirst(await working),
        () => clearTimeout(overdue),
        () => videos.close(),
        () => stopped,
        () => retention.close(),
        () => leave(presence, logger),
      ]);
    },
  };
}

function throwFirst(settled: readonly PromiseSettledResult<unknown>[]): void {
  for (const each of settled) if (each.status === 'rejected') throw each.reason;
}

async function leave(presence: ReturnType<typeof announceWorker>, logger: WorkerDeps['logger']): Promise<void> {
  await presence.end().catch((error: unknown) => {
    logger.warn({ error: String(error) }, 'the database is away; the others will notice that this worker is gone');
  });
}

/** Does something at once and again after each pause, until it is stopped; never twice at a time. */
function repeat(work: () => Promise<void>, onError: (error: unknown) => void): () => Promise<void> {
  let timer: NodeJS.Timeout;
  let running: Promise<void>;
  let isStopped = false;
  const run = () => {
    running = work()
      .catch(onError)
      .then(() => {
        if (!isStopped) timer = setTimeout(run, sweepMs);
      });
  };
  run();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return running;
  };
}
