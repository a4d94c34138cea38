import type { Logger } from '../../observability/logger.ts';
import { createCoalescer } from '../postgres/coalesce.ts';
import { runWorker } from './run-worker.ts';
import type { Runnable, TenantWorker } from './run-worker.ts';

/** A call for work: this tenant has a waiting operation, or messages for its webhooks. */
export type TenantCall = Readonly<{ tenantId: number; work?: 'deliveries' }>;

type CallOptions = Readonly<{
  urgent: boolean;
  /** Whether the call comes from a check of the tables, which other processes may be making at the same time. */
  isRepeated?: boolean;
}>;

/**
 * The queue only wakes workers; the work itself is in the operation tables. So if a job is lost, a check of the
 * tables finds the work, and a surplus job finds none.
 */
export type TenantQueue = Readonly<{
  /** Its server and how to check it; null if that is the database itself. */
  server: QueueServer | null;
  call(request: TenantCall, options: CallOptions): Promise<void>;
  work(options: { concurrency: number; handle: (call: TenantCall) => Promise<void> }): TenantWorker;
  close(): Promise<void>;
}>;

/** The server of the queue, other than the database. */
type QueueServer = Readonly<{ name: 'redis'; ping(): Promise<void> }>;

type JobOptions = Readonly<{ priority: number; jobId?: string }>;

/** A BullMQ backend as the tenant queue uses it. */
export type QueueBackend = Readonly<{
  server: QueueServer | null;
  add(call: TenantCall, options: JobOptions): Promise<unknown>;
  openWorker(options: { concurrency: number; handle: (call: TenantCall) => Promise<void> }): Runnable;
  /** Whether an error only means that jobs or connections were lost, which has been logged already or is harmless. */
  isExpected?(error: Error): boolean;
  close(): Promise<void>;
}>;

export const queueName = 'tenant-calls';

/** How soon a worker retries after the queue was unavailable. */
export const retryMs = 300;

/** Lower runs first. Every job has one of these, because BullMQ runs jobs without a priority before all others. */
const priorities = { urgent: 1, normal: 10 } as const;

/** The queue accepts only one repeated call per tenant within this time. */
const repeatMs = 1_000;

/** How often the log repeats that the queue is unavailable. */
const repeatedMs = 60_000;

/** Creates the tenant queue on a backend. */
export function createTenantQueue(backend: QueueBackend, logger: Logger): TenantQueue {
  const coalesce = createCoalescer();
  const isNews = createNews();
  return {
    server: backend.server,
    async call(request, { urgent, isRepeated = false }) {
      const priority = urgent ? priorities.urgent : priorities.normal;
      const jobId = `${request.tenantId}-${request.work ?? 'operations'}-${Math.floor(Date.now() / repeatMs)}`;
      const add = () => backend.add(request, { priority, ...(isRepeated && { jobId }) });
      await (isRepeated ? add() : coalesce(`${request.tenantId} ${request.work ?? ''} ${priority}`, add));
    },
    work({ concurrency, handle }) {
      return runWorker({
        open: (track) => backend.openWorker({ concurrency, handle: (call) => track(handle(call)) }),
        retryMs,
        onError(error) {
          if (backend.isExpected?.(error)) logger.debug({ error: error.message }, 'an expected error of the queue');
          else if (isNews(error.message)) logger.warn({ error: error.message }, 'the worker lost its queue');
        },
      });
    },
    close: () => backend.close(),
  };
}

/** Returns whether a message is new, or was last logged a minute ago: a worker retries three times a second. */
function createNews(): (message: string) => boolean {
  let last = { message: '', at: 0 };
  return (message) => {
    const now = Date.now();
    if (message === last.message && now - last.at < repeatedMs) return false;
    last = { message, at: now };
    return true;
  };
}
