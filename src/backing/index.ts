import { hash } from 'node:crypto';
import type { ActiveTenants } from '../lib/active-tenants.ts';
import { closeAll } from '../lib/close-all.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../observability/logger.ts';
import { openDatabase } from './postgres/database.ts';
import type { Database } from './postgres/database.ts';
import { openMeilisearchClient } from './meilisearch-client.ts';
import type { MeilisearchClient } from './meilisearch-client.ts';
import { requireEmbeddedCatalog } from './embedded/data-dir.ts';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.ts';
import { keepPostgres } from './embedded/keep-postgres.ts';
import { openNotifications } from './postgres/notifications.ts';
import type { Notifications } from './postgres/notifications.ts';
import { openPostgresQueue } from './queue/postgres-queue.ts';
import { prepareDatabase } from './postgres/prepare.ts';
import type { TenantQueue } from './queue/queue.ts';
import { openRedisQueue } from './queue/redis-queue.ts';
import { databaseTimeouts } from './postgres/unavailable.ts';

export { MeilisearchRefusal, openMeilisearchClient, refusalIn } from './meilisearch-client.ts';
export type { MeilisearchAddresses, MeilisearchClient, MeilisearchMember } from './meilisearch-client.ts';
export { lockKeys } from './postgres/lock-keys.ts';
export { runExclusively } from './postgres/run-exclusively.ts';
export { binaryArray } from './postgres/binary-array.ts';
export { connectionLimits } from './postgres/fair-connections.ts';
export { maxRowBytes, queryBounded, replyTooLarge } from './postgres/bounded-query.ts';
export { inTransaction, openDatabase, parseTexts, printableTypes } from './postgres/database.ts';
export type { Database, Queryable, Statement } from './postgres/database.ts';
export { findEmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded-postgres.ts';
export { missingPostgres } from './embedded/postgres-binaries.ts';
export type { EmbeddedPostgres } from './embedded/embedded-postgres.ts';
export { withCurrentNames, knownMigrations, migrate, missingMigrations, newerMigrations } from './postgres/migrate.ts';
export { readServerState, refusedWrites, replicaFault } from './postgres/replica-server.ts';
export { replicaLimits } from './postgres/replica.ts';
export { setSession, valueFormats } from './postgres/set-session.ts';
export { grantTo } from './postgres/grants.ts';
export {
  connectionFault,
  connectionRemedy,
  prepareDatabase,
  requireCatalog,
  requireServer,
  serverFault,
} from './postgres/prepare.ts';
export { postmasterPid, processIsAlive } from './embedded/postgres-leftovers.ts';
export type { Notifications } from './postgres/notifications.ts';
export { Degraded } from './degraded.ts';
export { probesOf } from './probe.ts';
export type { Probe } from './probe.ts';
export { redisWriteFault, tryRedis } from './queue/redis-server.ts';
export type { TenantCall, TenantQueue } from './queue/queue.ts';
export {
  databaseTimeouts,
  holdsNul,
  isDistrusted,
  isDuplicate,
  isOverdue,
  isUnavailable,
  trustHint,
} from './postgres/unavailable.ts';
export { lockDataDir } from './embedded/service-lock.ts';
export { hasEmbeddedCatalog, requireEmbeddedCatalog } from './embedded/data-dir.ts';

/** The services that Vitrine depends on, open and ready. */
export type Backing = Readonly<{
  database: Database;
  notifications: Notifications;
  queue: TenantQueue;
  /** The clients of Meilisearch; null if it is not configured. */
  meilisearch: MeilisearchClient | null;
  /** Tells what was started or found. */
  description: string;
  /** Closes everything in reverse order, and stops PostgreSQL if this process started it. */
  close(): Promise<void>;
}>;

type BackingOptions = Readonly<{
  /** Whether to also stop a PostgreSQL that was already running on DATA_DIR; the server does so. */
  ownsDataDir: boolean;
  /** Whether a catalog may be created: false for a command that makes no sense without one. */
  creates?: boolean;
  /** Tracks the active tenants of this process; the database creates its own if absent. */
  activeTenants?: ActiveTenants;
}>;

/** How much longer than the statement timeout to wait before a silent server is given up on. */
const answerGraceMs = 5_000;

/** Opens the backing services in order: PostgreSQL, its tables, the pool, the queue. */
export async function openBacking(config: Config, logger: Logger, options: BackingOptions): Promise<Backing> {
  const closers: (() => Promise<void>)[] = [];
  const close = () => closeAll(closers.splice(0).toReversed());
  try {
    const { creates = true } = options;
    if (!creates && config.databaseUrl === undefined) requireEmbeddedCatalog(config.dataDir);
    const { url, directUrl, description } = await openPostgres(config, logger, { ...options, closers });
    const { migrates, isPrepared, connections: maxConnections, statementMs, readUrls } = config.database;
    const applied = await prepareDatabase(directUrl, { migrates, creates, hasQueue: config.redisUrl === undefined });
    if (applied.length > 0) logger.info({ applied }, 'migrations applied');
    const timeouts = { ...databaseTimeouts, statementMs, answerMs: statementMs + answerGraceMs };
    const { activeTenants } = options;
    const database = openDatabase({
      url,
      directUrl,
      readUrls,
      logger,
      isPrepared,
      maxConnections,
      timeouts,
      activeTenants,
    });
    closers.push(() => database.close());
    const notifications = await openNotifications(directUrl, logger);
    closers.push(() => notifications.close());
    const queue =
      config.redisUrl === undefined
        ? await openPostgresQueue(directUrl, logger)
        : await openRedisQueue({ url: config.redisUrl, prefix: await queuePrefix(database) }, logger);
    closers.push(() => queue.close());
    const meilisearch = config.meili === null ? null : openMeilisearchClient(config.meili);
    closers.push(async () => meilisearch?.close());
    return { database, notifications, queue, meilisearch, description, close };
  } catch (error) {
    await close().catch(() => {}); // The first error is the one reported.
    throw error;
  }
}

/**
 * The queue prefix for the database, the same however its URL is spelled: processes that share a database share a
 * queue.
 */
async function queuePrefix({ pool }: Database): Promise<string> {
  const { rows } = await pool.query<{ server: string; database: string }>(
    `SELECT system_identifier::text AS server, (SELECT oid FROM pg_database WHERE datname = current_database())::text
            AS database
     FROM pg_control_system()`,
  );
  const { server = '', database = '' } = rows[0] ?? {};
  return `vitrine-${hash('sha256', `${server} ${database}`).slice(0, 12)}`;
}

async function openPostgres(
  config: Config,
  logger: Logger,
  { ownsDataDir, closers }: BackingOptions & Readonly<{ closers: (() => Promise<void>)[] }>,
): Promise<{ url: string; directUrl: string; description: string }> {
  const { databaseUrl: own, database } = config;
  if (own !== undefined) {
    return { url: own, directUrl: database.directUrl ?? own, description: 'PostgreSQL of DATABASE_URL' };
  }
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir });
  closers.push(() => (ownsDataDir ? postgres.stop() : postgres.release()));
  if (ownsDataDir) closers.push(keepPostgres(postgres, logger));
  return { url: postgres.url, directUrl: postgres.url, description: `embedded PostgreSQL under ${config.dataDir}` };
}
