import { createPostgresBackend, withBackend } from 'bullmq';
import type { Logger } from '../logger.ts';

/** A call for work: this tenant has an operation that waits. */
export type TurnCall = Readonly<{ tenantId: number }>;

/** Lower runs first. BullMQ runs jobs without a number before all others, so every job has one. */
const priorities = { urgent: 1, normal: 10 } as const;

const queueName = 'turns';
const { Queue, Worker } = withBackend(createPostgresBackend);

/**
 * The queue only wakes workers; what is to be done stands in the operation tables. So a lost job is
 * found again by a look at the tables, and a job too many finds nothing to do.
 */
export type TurnQueue = Readonly<{
  call(turn: TurnCall, options: { urgent: boolean }): Promise<void>;
  work(options: { concurrency: number; handle: (turn: TurnCall) => Promise<void> }): TurnWorker;
  close(): Promise<void>;
}>;

export type TurnWorker = Readonly<{ close(): Promise<void> }>;

export async function openQueue(url: string, logger: Logger): Promise<TurnQueue> {
  const connection = { connectionString: url, migrate: true, schema: 'bullmq', max: 4 };
  const queue = new Queue<TurnCall, void, 'turn'>(queueName, {
    connection,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', (error) => logger.warn({ error: error.message }, 'the queue lost its connection'));
  await queue.waitUntilReady();
  return {
    async call(turn, { urgent }) {
      await queue.add('turn', turn, { priority: urgent ? priorities.urgent : priorities.normal });
    },
    work({ concurrency, handle }) {
      const worker = new Worker<TurnCall, void, 'turn'>(queueName, (job) => handle(job.data), {
        connection,
        concurrency,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      });
      worker.on('error', (error) => logger.warn({ error: error.message }, 'the worker lost its queue'));
      return { close: () => worker.close() };
    },
    close: () => queue.close(),
  };
}
