import { setMaxListeners } from 'node:events';
import type { TenantCall } from '../backing/index.ts';
import { Answers } from '../lib/answers.ts';
import { closeAll } from '../lib/close-all.ts';
import { createVideoReader } from '../analysis/index.ts';
import { startWatcher } from '../search/index.ts';
import { startFingerprintIndexer, startModelSwitch } from '../similarity/index.ts';
import type { FingerprintIndexer } from '../similarity/index.ts';
import { startAnalysisWorker } from './analyze/analysis-worker.ts';
import { createSourceBytesCache } from './analyze/source-bytes-cache.ts';
import { createUnservedCaller, unservedTenants } from './lease/call-unserved.ts';
import { closeMs, parallelLeases, storePatience, sweepMs } from './limits.ts';
import { createLimits } from './store/limits.ts';
import { announceWorker, removeDeadWorkers } from './lease/presence.ts';
import { startCountingWords } from './count-words.ts';
import { startMergingTotals } from './merge-totals.ts';
import { repeat } from '../lib/repeat.ts';
import { startRetention } from './retention.ts';
import { createFaultReporter } from './run/report-fault.ts';
import { serveTenants } from './lease/serve-tenants.ts';
import type { WorkerDeps } from './worker-deps.ts';
import type { ServeTenantsOptions } from './lease/serve-tenants.ts';

export type OperationWorker = Readonly<{
  /** Lets the chunks in flight finish; the rest stays queued. */
  close(): Promise<void>;
}>;

/** Leases of this process that it no longer serves: the database was unavailable when they ended. */
const forgottenLeases = 'DELETE FROM tenant_lease WHERE process_id = $1 AND lease_id <> ALL($2::uuid[])';

/**
 * Serves tenants by lease: only one worker at a time stores for a tenant, in the order in which operations arrived.
 * After a time slice, tenants that wait go first.
 */
export function startWorker(deps: WorkerDeps): OperationWorker {
  const { database, notifications, queue, logger, analysis, deliveries, patience = storePatience } = deps;
  const presence = announceWorker(database, notifications, deps.mediaRoots ?? []);
  const closing = new AbortController();
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // Every lease listens.
  const leaseIds = new Set<string>();
  const sourceBytes = createSourceBytesCache();
  const videos = createVideoReader();
  const limits = createLimits(deps.workers, deps.answers ?? new Answers());
  const analysisProcess = { sourceBytes, readVideo: videos.read, videos: limits.videos, processId: presence.id };
  const analyses = analysis !== undefined && analysis.isElsewhere !== true;
  const analysisWorker = analyses ? startAnalysisWorker({ ...deps, ...analysisProcess, patience }) : undefined;
  const options: ServeTenantsOptions = {
    ...deps,
    readVideo: videos.read,
    ...(analyses && analysis.isDefault && { sourceBytes }),
    onStored: () => analysisWorker?.wake(),
    processId: presence.id,
    patience,
    limits,
    leaseIds,
    closing: closing.signal,
    ending: ending.signal,
  };

  async function serve({ tenantId, work }: TenantCall): Promise<void> {
    if (closing.signal.aborted) return;
    await presence.announced();
    await (work === 'deliveries' ? deliveries?.serve(tenantId, presence.id) : serveTenants(tenantId, options));
  }

  const unservedCalls = createUnservedCaller(queue, serve, logger);

  const routines = startRoutines(deps);

  async function sweep(): Promise<void> {
    await presence.renew();
    await removeDeadWorkers(database, presence.id);
    await database.pool.query(forgottenLeases, [presence.id, [...leaseIds]]);
    await analysisWorker?.sweep();
    const { rows } = await database.pool.query<{ tenantId: number }>(unservedTenants);
    await unservedCalls.call([...rows, ...((await deliveries?.waiting()) ?? [])]);
  }

  const worker = queue.work({ concurrency: parallelLeases, handle: serve });
  const stopSweeping = repeat(sweep, sweepMs, createFaultReporter(deps, 'the sweep for waiting operations failed'));
  return {
    async close() {
      const stopped = stopSweeping();
      closing.abort();
      const overdue = setTimeout(() => ending.abort(), closeMs);
      const ends = [worker.close(), analysisWorker?.close(), unservedCalls.ended(), deliveries?.close()];
      const working = Promise.allSettled(ends);
      await closeAll([
        async () => throwFirst(await working),
        () => clearTimeout(overdue),
        () => videos.close(),
        () => stopped,
        ...routines.map((each) => async () => each.close()),
        () => leave(presence, logger),
      ]);
    },
  };
}

/** Starts the background jobs of a worker. */
function startRoutines(deps: WorkerDeps) {
  return [
    startWatcher(deps),
    startRetention(deps),
    startMergingTotals(deps),
    startCountingWords(deps),
    ...startIndexer(deps),
    { close: callOnNotifications(deps) },
  ];
}

/** Fills the fingerprint indexes if searches may run in the database, and switches to the vectors of a new model. */
function startIndexer({ database, logger, similar, imageAnalyzer }: WorkerDeps): readonly FingerprintIndexer[] {
  if (similar === undefined) return [];
  const { placement } = similar;
  return [
    startFingerprintIndexer({ database, logger, placement }),
    startModelSwitch({ database, logger, placement, imageAnalyzer }),
  ];
}

/** Calls a worker to send webhook messages when a tenant gets a notification. The sweep makes up for lost calls. */
function callOnNotifications({ notifications, queue, deliveries }: WorkerDeps): () => void {
  return notifications.on('vitrine_notification', (payload) => {
    const tenantId = Number(payload);
    if (deliveries?.concerns(tenantId) !== true) return;
    queue.call({ tenantId, work: 'deliveries' }, { urgent: true }).catch(() => {});
  });
}

function throwFirst(settled: readonly PromiseSettledResult<unknown>[]): void {
  for (const each of settled) if (each.status === 'rejected') throw each.reason;
}

async function leave(presence: ReturnType<typeof announceWorker>, logger: WorkerDeps['logger']): Promise<void> {
  await presence.end().catch((error: unknown) => {
    logger.warn(
      { error: String(error) },
      'the database is unavailable; the other workers will notice that this one has stopped',
    );
  });
}
