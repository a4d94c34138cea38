import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresBackend, withBackend } from 'bullmq';
import pg from 'pg';
import type { Logger } from '../logger.ts';
import { createCoalescer } from './coalesce.ts';
import { queueSchema } from './queue-tables.ts';
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
/** One of them listens while a worker runs. */
const connections = 5;
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

/** Opens the queue in a database that has its tables. */
export async function openQueue(url: string, logger: Logger): Promise<TurnQueue> {
  // A pool of ours: the connections that BullMQ opens itself end the process when they are lost at the wrong moment.
  const connection = new pg.Pool({
    Client: SteadyClient,
    connectionString: url,
    options: `-c search_path=${queueSchema}`,
    max: connections,
    keepAlive: true,
  });
  connection.setMaxListeners(0); // Each of BullMQ's parts listens for its errors.
  const queue = new Queue<TurnCall, void, 'turn'>(queueName, {
    connection,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', (error) => logger.warn({ error: error.message }, 'the queue lost its connection'));
  try {
    await queue.waitUntilReady();
  } catch (error) {
    await connection.end();
    throw error;
  }
  const coalesce = createCoalescer();
  return {
    async call(turn, { urgent, isRepeated = false }) {
      const priority = urgent ? priorities.urgent : priorities.normal;
      const jobId = `${turn.tenantId}-${Math.floor(Date.now() / repeatMs)}`;
      const add = () => queue.add('turn', turn, { priority, ...(isRepeated && { jobId }) });
      await (isRepeated ? add() : coalesce(`${turn.tenantId} ${priority}`, add));
    },
    work({ concurrency, handle }) {
      const open = () =>
        new Worker<TurnCall, void, 'turn'>(queueName, (job) => handle(job.data), {
          connection,
          concurrency,
          autorun: false,
          runRetryDelay: retryMs,
          removeOnComplete: { count: 0 },
          removeOnFail: { count: 0 },
        });
      return runWorker(open, logger);
    },
    async close() {
      await queue.close();
      await connection.end();
    },
  };
}

/** What is used of BullMQ's worker. */
type Runnable = Readonly<{
  on(event: 'error', listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  close(): Promise<void>;
}>;

/**
 * Runs a worker once its connections are ready, and opens another one where they fail. One that
 * never got ready would keep its first error for good, and spin on it.
 */
function runWorker(open: () => Runnable, logger: Logger): TurnWorker {
  const warn = (error: Error) => logger.warn({ error: error.message }, 'the worker lost its queue');
  const closing = new AbortController();

  async function start(): Promise<Runnable | null> {
    while (!closing.signal.aborted) {
      const worker = open();
      worker.on('error', warn);
      try {
        await worker.waitUntilReady();
      } catch (error) {
        warn(error as Error);
        await worker.close();
        await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => {});
        continue;
      }
      worker.run().catch(warn);
      return worker;
    }
    return null;
  }

  const started = start();
  return {
    async close() {
      closing.abort();
      await (await started)?.close();
    },
  };
}
