import type { Logger } from '../../observability/logger.ts';
import { createCoalescer } from '../postgres/coalesce.ts';
import { runWorker } from './run-worker.ts';
import type { Runnable } from './run-worker.ts';

/** A call for work: this tenant has an operation that waits. */
export type TenantCall = Readonly<{ tenantId: number }>;

export type CallOptions = Readonly<{
  urgent: boolean;
  /** The call comes from a look at the tables, which others may take at the same time. */
  isRepeated?: boolean;
}>;

/**
 * The queue only wakes workers; what is to be done stands in the operation tables. So a lost job is
 * found again by a look at the tables, and a job too many finds nothing to do.
 */
export type TenantQueue = Readonly<{
  /** Where it lives, and whether that answers; null where it is the database itself. */
  server: QueueServer | null;
  call(lease: TenantCall, options: CallOptions): Promise<void>;
  work(options: { concurrency: number; handle: (lease: TenantCall) => Promise<void> }): TenantWorker;
  close(): Promise<void>;
}>;

/** A server beside the database that the queue lives on. */
export type QueueServer = Readonly<{ name: 'redis'; ping(): Promise<void> }>;

export type TenantWorker = Readonly<{
  /** Takes no more calls, and waits for those that are being handled. */
  close(): Promise<void>;
}>;

export type JobOptions = Readonly<{ priority: number; jobId?: string }>;

/** One of BullMQ's backends, as the queue of turns uses it. */
export type QueueBackend = Readonly<{
  server: QueueServer | null;
  add(lease: TenantCall, options: JobOptions): Promise<unknown>;
  openWorker(options: { concurrency: number; handle: (lease: TenantCall) => Promise<void> }): Runnable;
  /** Whether an error says no more than that jobs or connections were lost, which has been told or is harmless. */
  isExpected?(error: Error): boolean;
  close(): Promise<void>;
}>;

export const queueName = 'turns';

/** How soon a worker asks again after the queue was away. */
export const retryMs = 300;

/** Lower runs first. BullMQ runs jobs without a number before all others, so every job has one. */
const priorities = { urgent: 1, normal: 10 } as const;

/** Of repeated calls for one tenant, the queue takes one in this time. */
const repeatMs = 1_000;

/** How often the log says that the queue is still away. */
const repeatedMs = 60_000;

/** The queue of turns on a backend. */
export function createTenantQueue(backend: QueueBackend, logger: Logger): TenantQueue {
  const coalesce = createCoalescer();
  const isNews = createNews();
  return {
    server: backend.server,
    async call(lease, { urgent, isRepeated = false }) {
      const priority = urgent ? priorities.urgent : priorities.normal;
      const jobId = `${lease.tenantId}-${Math.floor(Date.now() / repeatMs)}`;
      const add = () => backend.add(lease, { priority, ...(isRepeated && { jobId }) });
      await (isRepeated ? add() : coalesce(`${lease.tenantId} ${priority}`, add));
    },
    work({ concurrency, handle }) {
      return runWorker({
        open: (track) => backend.openWorker({ concurrency, handle: (lease) => track(handle(lease)) }),
        retryMs,
        onError(error) {
          if (backend.isExpected?.(error)) logger.debug({ error: error.message }, 'the worker met what it expects');
          else if (isNews(error.message)) logger.warn({ error: error.message }, 'the worker lost its queue');
        },
      });
    },
    close: () => backend.close(),
  };
}

/** Tells whether a message is another one than before, or that was a minute ago: a worker asks again three times a second. */
function createNews(): (message: string) => boolean {
  let last = { message: '', at: 0 };
  return (message) => {
    const now = Date.now();
    if (message === last.message && now - last.at < repeatedMs) return false;
    last = { message, at: now };
    return true;
  };
}
