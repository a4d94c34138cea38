import { createPostgresBackend, withBackend } from 'bullmq';
import type { Logger } from '../logger.ts';
import { createCoalescer } from './coalesce.ts';
import { SteadyClient } from './steady-client.ts';

/** A call for work: this tenant has an operation that waits. */
export type TurnCall = Readonly<{ tenantId: number }>;

export type CallOptions = Readonly<{
  urgent: boolean;
  /** The call comes from a look at the tables, which others may take at the same time. */
  isRepeated?: boolean;
}>;

/** Lower runs first. BullMQ runs jobs without a number before all others, so every job has one. */
const priorities = { urgent: 1, normal: 10 } as const;

/** Of repeated calls for one tenant, the queue takes one in this time. */
const repeatMs = 1_000;

/** How soon a worker asks again after the queue was away. */
const retryMs = 300;

const queueName = 'turns';
const { Queue, Worker } = withBackend(createPostgresBackend);

/**
 * The queue only wakes workers; what is to be done stands in the operation tables. So a lost job is
 * found again by a look at the tables, and a job too many finds nothing to do.
 */
export type TurnQueue = Readonly<{
  call(turn: TurnCall, options: CallOptions): Promise<void>;
  work(options: { concurrency: number; handle: (turn: TurnCall) => Promise<void> }): TurnWorker;
  close(): Promise<void>;
}>;

export type TurnWorker = Readonly<{ close(): Promise<void> }>;

export async function openQueue(url: string, logger: Logger): Promise<TurnQueue> {
  const connection = { Client: SteadyClient, connectionString: url, migrate: true, schema: 'bullmq', max: 4 };
  const queue = new Queue<TurnCall, void, 'turn'>(queueName, {
    connection,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', (error) => logger.warn({ error: error.message }, 'the queue lost its connection'));
  await queue.waitUntilReady();
  const coalesce = createCoalescer();
  return {
    async call(turn, { urgent, isRepeated = false }) {
      const priority = urgent ? priorities.urgent : priorities.normal;
      const jobId = `${turn.tenantId}-${Math.floor(Date.now() / repeatMs)}`;
      const add = () => queue.add('turn', turn, { priority, ...(isRepeated && { jobId }) });
      await (isRepeated ? add() : coalesce(`${turn.tenantId} ${priority}`, add));
    },
    work({ concurrency, handle }) {
      const worker = new Worker<TurnCall, void, 'turn'>(queueName, (job) => handle(job.data), {
        connection,
        concurrency,
        runRetryDelay: retryMs,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      });
      worker.on('error', (error) => logger.warn({ error: error.message }, 'the worker lost its queue'));
      return { close: () => worker.close() };
    },
    close: () => queue.close(),
  };
}
