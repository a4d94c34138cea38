import { createPostgresBackend, withBackend } from 'bullmq';
import pg from 'pg';
import type { Logger } from '../../observability/logger.ts';
import { createTenantQueue, queueName, retryMs } from './queue.ts';
import type { TenantCall, TenantQueue } from './queue.ts';
import { queueSchema } from './queue-tables.ts';
import { setSession } from '../postgres/set-session.ts';
import { SteadyClient } from '../postgres/steady-client.ts';
import { databaseTimeouts } from '../postgres/unavailable.ts';
import type { DatabaseTimeouts } from '../postgres/unavailable.ts';

/** Maximum number of connections; one of them listens while a worker is running. */
const connections = 5;
const { Queue, Worker } = withBackend(createPostgresBackend);

/** Opens the queue in BullMQ's tables, which must exist in the database and be up to date. */
export async function openPostgresQueue(
  url: string,
  logger: Logger,
  timeouts: DatabaseTimeouts = databaseTimeouts,
): Promise<TenantQueue> {
  // Our own pool, because connections that BullMQ opens end the process if they are lost at the wrong moment.
  const connection = new pg.Pool({
    Client: SteadyClient,
    connectionString: url,
    // Not as `options`, which may also be in the URL.
    onConnect: (client) => setSession(client, { search_path: queueSchema, statement_timeout: timeouts.statementMs }),
    max: connections,
    connectionTimeoutMillis: timeouts.connectMs,
    // Not a socket timeout, because the listening connection is silent while there is no work.
    query_timeout: timeouts.answerMs,
    keepAlive: true,
  });
  connection.setMaxListeners(0); // Each part of BullMQ listens for its errors.
  const queue = new Queue<TenantCall, void, 'call'>(queueName, {
    connection,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', (error) => logger.warn({ error: error.message }, 'the connection of the queue was lost'));
  try {
    await queue.waitUntilReady();
  } catch (error) {
    await connection.end();
    throw error;
  }
  const backend = {
    server: null,
    add: (call: TenantCall, options: object) => queue.add('call', call, options),
    openWorker: ({ concurrency, handle }: { concurrency: number; handle: (call: TenantCall) => Promise<void> }) =>
      new Worker<TenantCall, void, 'call'>(queueName, (job) => handle(job.data), {
        connection,
        concurrency,
        autorun: false,
        runRetryDelay: retryMs,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      }),
    async close() {
      await queue.close();
      await connection.end();
    },
  };
  return createTenantQueue(backend, logger);
}
