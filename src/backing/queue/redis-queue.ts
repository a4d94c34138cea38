import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import { waitAtMost } from '../../lib/wait-at-most.ts';
import type { Logger } from '../../observability/logger.ts';
import { createTenantQueue, queueName, retryMs } from './queue.ts';
import type { QueueBackend, TenantCall, TenantQueue } from './queue.ts';
import { Degraded } from '../degraded.ts';
import { awaitRedis, redisWriteFault, unusable, waitMs } from './redis-server.ts';

/** How long a call waits for Redis; the sweep makes up for calls that fail. */
const answerMs = 2_000;
/** Longer than the longest blocking command, which BullMQ limits to 10 s. */
const silenceMs = 15_000;
const reconnectMs = { first: 100, most: 1_000 } as const;

type RedisQueueOptions = Readonly<{
  url: string;
  /** Prefix of all keys, different for each installation on the same Redis. */
  prefix: string;
}>;

/**
 * Opens the queue on Redis. It holds nothing that is not in the tables: if Redis is emptied, calls are lost, but no
 * operations. Adding never waits for an unavailable Redis; workers reconnect on their own.
 */
export async function openRedisQueue({ url, prefix }: RedisQueueOptions, logger: Logger): Promise<TenantQueue> {
  await awaitRedis(url);
  let isClosed = false;
  const shared: RedisOptions = {
    retryStrategy: (times) => (isClosed ? null : Math.min(times * reconnectMs.first, reconnectMs.most)),
    keepAlive: 10_000,
    connectTimeout: answerMs,
  };
  // Calls fail at once or soon, because an operation is safe even without its call.
  const calling = new Redis(url, { ...shared, enableOfflineQueue: false, commandTimeout: answerMs });
  // Workers wait, because BullMQ needs commands to survive a lost connection.
  const working = new Redis(url, { ...shared, maxRetriesPerRequest: null, socketTimeout: silenceMs });
  logLosses(calling, logger, () => isClosed);
  working.on('error', () => {}); // The other connection logs it.
  const settings = { prefix, skipVersionCheck: true } as const; // Checked above, with our own message.
  const queue = new Queue<TenantCall, void, 'call'>(queueName, {
    ...settings,
    connection: calling,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', () => {});
  let fault = 'the connection ended';
  calling.on('error', (error) => (fault = error.message));
  const disconnect = () => {
    isClosed = true;
    calling.disconnect();
    working.disconnect();
  };
  // Only at startup: later, a queue waits for an unavailable Redis for as long as it takes.
  await waitAtMost(waitMs, queue.waitUntilReady()).catch(() => {
    disconnect();
    throw unusable(url, { reason: fault, mayPass: true });
  });
  const ping = async () => {
    // Reports the network error, because the client's own error for a missing connection is about its options.
    if (calling.status !== 'ready') throw new Error(fault);
    const refusal = await redisWriteFault(calling, `${prefix}:probe`);
    if (refusal !== null) throw new Degraded('refuses writes', refusal);
  };
  const backend: QueueBackend = {
    server: { name: 'redis', ping },
    add: (call, options) => queue.add('call', call, options),
    openWorker: ({ concurrency, handle }) =>
      new Worker<TenantCall, void, 'call'>(queueName, (job) => handle(job.data), {
        ...settings,
        connection: working,
        concurrency,
        autorun: false,
        runRetryDelay: retryMs,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      }),
    isExpected: (error) => isLost(error),
    async close() {
      isClosed = true;
      await queue.close();
      disconnect();
    },
  };
  return createTenantQueue(backend, logger);
}

/** Logs once that Redis is unavailable, and once that it is back. */
function logLosses(redis: Redis, logger: Logger, isClosed: () => boolean): void {
  let isUnavailable = false;
  const lose = (reason: string) => {
    if (isUnavailable || isClosed()) return;
    isUnavailable = true;
    logger.warn({ reason }, 'Redis is unavailable; workers find operations in the database until it is back');
  };
  redis.on('error', (error) => lose(error.message));
  redis.on('close', () => lose('the connection ended'));
  redis.on('ready', () => {
    if (isUnavailable) logger.info('Redis is back');
    isUnavailable = false;
  });
}

/** A lost connection, or a job that got lost while it was being handled, because Redis was emptied. */
function isLost({ message }: Error): boolean {
  return /^(?:Connection is closed|Missing (?:key|lock) for job|could not renew lock)|ECONN|Stream isn't writeable|^Socket timeout/.test(
    message,
  );
}
