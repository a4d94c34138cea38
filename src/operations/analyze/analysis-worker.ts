import pLimit from 'p-limit';
import type { Database, Notifications } from '../../backing/index.ts';
import type { SourceStreamer } from '../../catalog/index.ts';
import type { Exports } from '../../exports/index.ts';
import type { Logger } from '../../observability/logger.ts';
import type { TenantIndexes } from '../../similarity/index.ts';
import { forTenant } from '../../tenants/index.ts';
import { exportRecords } from '../export/export-records.ts';
import { taskOf } from '../kinds.ts';
import type { Task } from '../kinds.ts';
import type { Patience } from '../run/patience.ts';
import { createFaultReporter } from '../run/report-fault.ts';
import { searchDuplicates } from '../duplicates/search.ts';
import { ChunkLostError } from './chunk-lost.ts';
import { analyzeChunk } from './chunk.ts';
import { ChunkFaults } from './chunk-faults.ts';
import { createClaims } from './claims.ts';
import type { AnalysisChunk } from './chunk.ts';
import type { AnalysisDeps } from './record-analyzer.ts';
import { parallelPictures } from './limits.ts';
import { markStale } from './mark-stale.ts';
import { NextPicture } from './next-picture.ts';
import { createRepeater } from '../../lib/repeater.ts';
import { forgottenChunks, orphanedChunks, returnChunks } from './statements.ts';

type AnalysisWorkerOptions = AnalysisDeps &
  Readonly<{
    database: Database;
    notifications: Notifications;
    /** Number of threads that analyze. */
    workers: number;
    processId: string;
    /** Indexes for formulas that search for similar images. */
    similar?: TenantIndexes;
    /** Files of exports. */
    exports?: Exports;
    /** Patience with results that cannot be stored. */
    patience: Patience;
    streamSource?: SourceStreamer;
  }>;

type TaskContext = Parameters<typeof searchDuplicates>[1] & Parameters<typeof exportRecords>[1];

type Work = (chunk: AnalysisChunk, context: TaskContext & Parameters<typeof analyzeChunk>[1]) => Promise<void>;

/** Tasks, which replace the analysis. */
const tasks: Readonly<Record<Task, Work>> = { duplicates: searchDuplicates, export: exportRecords };

function doneFor({ kind }: AnalysisChunk): Work {
  const task = taskOf(kind);
  return task === null ? analyzeChunk : tasks[task];
}

/** Runs the second stage of operations, for all tenants, in parallel with the first. */
type AnalysisWorker = Readonly<{
  /** Signals that there may be work. */
  wake: () => void;
  /** Takes over from processes that died, and looks for work. */
  sweep: () => Promise<void>;
  /** Stops, and leaves unfinished work to others. */
  close: () => Promise<void>;
}>;

/** Starts analyzing stored records: a limited number of pictures at a time, shared out among tenants. */
export function startAnalysisWorker(options: AnalysisWorkerOptions): AnalysisWorker {
  const { database, notifications, workers, processId, logger } = options;
  const pictures = new NextPicture(parallelPictures(workers));
  const claims = createClaims(database, processId, workers);
  const suspects = pLimit(1);
  const faults = new ChunkFaults(options.patience);
  const closing = new AbortController();
  const atWork = new Map<Promise<void>, AnalysisChunk>();
  const operations = new Map<number, AbortController>();

  const forget = onceOver(notifications, (id) => operations.get(id)?.abort(new ChunkLostError()));

  const marking = findStale(options, closing.signal);
  /**
   * Whether the table may say that we have chunks that nothing here is working on. Checked in `claim`, which never
   * runs concurrently.
   */
  let mayHaveForgotten = false;

  function work(chunk: AnalysisChunk): void {
    let controller = operations.get(chunk.operationId);
    if (controller === undefined) operations.set(chunk.operationId, (controller = new AbortController()));
    // No `AbortSignal.any` with `closing`, which is long-lived: Node 20 would retain every signal derived from it.
    if (closing.signal.aborted) controller.abort(closing.signal.reason);
    const { signal } = controller;
    const own = ofChunk(options, chunk, faults);
    const running = doneFor(chunk)(chunk, { ...options, ...own, pictures, suspects, signal })
      .catch((error: unknown) => {
        if (!signal.aborted && !(error instanceof ChunkLostError)) handleEarlyEnd({ faults, logger }, chunk, error);
      })
      .finally(() => {
        atWork.delete(running);
        if (![...atWork.values()].some(({ operationId }) => operationId === chunk.operationId)) {
          operations.delete(chunk.operationId);
        }
        claiming.ask();
      });
    atWork.set(running, chunk);
  }

  async function claim(): Promise<boolean> {
    const known = [...atWork.values()];
    if (mayHaveForgotten) {
      await giveBackOthers(database, processId, known);
      mayHaveForgotten = false;
    }
    // Tasks have limits of their own.
    const chunks = await claims.next(known.filter(({ kind }) => taskOf(kind) === null));
    for (const chunk of chunks) work(chunk);
    return chunks.length > 0;
  }

  const claiming = createRepeater(claim, createFaultReporter(options, 'cannot claim a chunk'));

  return {
    wake: claiming.ask,
    async sweep() {
      await database.pool.query(orphanedChunks);
      mayHaveForgotten = true;
      claiming.ask();
    },
    async close() {
      forget();
      closing.abort(new ChunkLostError());
      for (const controller of operations.values()) controller.abort(closing.signal.reason);
      await claiming.stop();
      await marking;
      await Promise.all(atWork.keys());
      await database.pool.query(returnChunks, [processId]).catch(() => {}); // If this fails, others see that we are gone.
    },
  };
}

/** Calls `act` with each operation that is over, or soon will be. */
function onceOver(notifications: Notifications, act: (operationId: number) => void): () => void {
  return notifications.on('vitrine_operation', (payload) => {
    const [id, what] = payload.split(':');
    if (what === 'aborting' || what === 'finished') act(Number(id));
  });
}

/**
 * The context of a chunk: its tenant's database, a logger whose lines name its operation, and how its results are stored.
 */
function ofChunk({ database, logger }: AnalysisWorkerOptions, chunk: AnalysisChunk, faults: ChunkFaults) {
  const { tenantId, operationId } = chunk;
  const isOneByOne = faults.isOneByOne(chunk);
  return { db: forTenant(database, tenantId), logger: logger.child({ operationId }), isOneByOne };
}

/**
 * Counts and logs a fault. Returning the chunk to the queue is left to the next sweep, so that a persistent fault
 * does not spin.
 */
function handleEarlyEnd(
  { faults, logger }: Readonly<{ faults: ChunkFaults; logger: Logger }>,
  chunk: AnalysisChunk,
  error: unknown,
): void {
  const { tenantId, operationId } = chunk;
  faults.meet(chunk, error);
  logger.error({ tenantId, operationId, error: String(error) }, 'analyzing a chunk ended early');
}

/** Returns to the queue all chunks that are marked as this process's, except those in progress. */
async function giveBackOthers({ pool }: Database, processId: string, atWork: readonly AnalysisChunk[]): Promise<void> {
  const numbers = [atWork.map(({ operationId }) => operationId), atWork.map(({ number }) => number)];
  await pool.query(forgottenChunks, [processId, ...numbers]);
}

/** Runs once per start: analyzer versions only change with the program or its configuration. */
function findStale({ database, imageAnalyzer, logger }: AnalysisWorkerOptions, signal: AbortSignal): Promise<void> {
  return markStale(database, imageAnalyzer.signature, signal).then(
    (count) => {
      if (count > 0) logger.info({ count }, 'records were analyzed by other versions: ai_status set to stale');
    },
    (error: unknown) => logger.warn({ error: String(error) }, 'cannot mark stale records'),
  );
}
