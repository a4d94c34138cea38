import type { PoolClient } from 'pg';
import { inTransaction } from '../backing/index.ts';
import type { Database } from '../backing/index.ts';
import type { Logger } from '../observability/logger.ts';
import { counter } from '../observability/metrics/index.ts';
import { keepChangesHours } from '../similarity/index.ts';
import { keepAuditDays } from '../tenants/index.ts';
import { keepOperationsDays } from './limits.ts';

/** Interval between removals of expired rows, and delay of the first one. */
const everyMs = 3_600_000;
const firstMs = 60_000;

/** Maximum rows per statement: keeps locks and rollbacks short when the process ends. */
const batchRows = 1_000;

/** Any number that none of our other locks uses. */
const lockKey = 7_261_150_326;

const isOld = `finished_at < now() - interval '${keepOperationsDays} days'`;
const ofOld = (table: string) =>
  `SELECT row.ctid FROM operation JOIN ${table} row ON row.operation_id = operation.id WHERE ${isOld}`;

const ofChanges = (table: string) =>
  `SELECT ctid FROM ${table} WHERE changed_at < now() - interval '${keepChangesHours} hours'`;

/** What expires, in order of removal: rows that belong to an operation are removed before it, in batches of their own. */
const expired = [
  { table: 'idempotency_key', rows: 'SELECT ctid FROM idempotency_key WHERE expires_at <= now()' },
  { table: 'operation_error', rows: ofOld('operation_error') },
  { table: 'operation_analysis_error', rows: ofOld('operation_analysis_error') },
  { table: 'operation_event', rows: ofOld('operation_event') },
  { table: 'operation', rows: `SELECT ctid FROM operation WHERE ${isOld}` },
  { table: 'session', rows: 'SELECT ctid FROM session WHERE expires_at <= now()' },
  { table: 'query_image', rows: 'SELECT ctid FROM query_image WHERE expires_at <= now()' },
  { table: 'audit', rows: `SELECT ctid FROM audit WHERE at < now() - interval '${keepAuditDays} days'` },
  { table: 'key_use', rows: `SELECT ctid FROM key_use WHERE day < now() - interval '${keepAuditDays} days'` },
  { table: 'fingerprint_change', rows: ofChanges('fingerprint_change') },
  { table: 'frame_change', rows: ofChanges('frame_change') },
] as const;

/** Removed rows by table. */
export type Removed = Readonly<Record<string, number>>;

/**
 * Removes expired rows of all tenants. Only one process at a time does this.
 *
 * @returns null when another process is doing it.
 */
export async function removeExpired({ pool }: Database, signal?: AbortSignal): Promise<Removed | null> {
  const removed: Record<string, number> = {};
  for (const { table, rows: which } of expired) {
    const text = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(${which} LIMIT ${batchRows}))`;
    for (let count = batchRows; count === batchRows && !signal?.aborted;) {
      const deleted = await inTransaction(pool, (client) => deleteAlone(client, text));
      if (deleted === null) return null;
      count = deleted;
      removed[table] = (removed[table] ?? 0) + count;
      counter('expired_rows_total', { table }).add(count);
    }
  }
  return removed;
}

/** A transaction-level lock: a session-level lock would stay behind in a pooler's connection. */
async function deleteAlone(client: PoolClient, text: string): Promise<number | null> {
  const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [lockKey]);
  return rows[0]?.got === true ? ((await client.query(text)).rowCount ?? 0) : null;
}

export type Retention = Readonly<{ close(): Promise<void> }>;

/** Removes expired rows every hour, starting a minute after the start. */
export function startRetention(database: Database, logger: Logger): Retention {
  const closing = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const run = () => {
    running = removeExpired(database, closing.signal).then(
      (removed) => {
        if (Object.values(removed ?? {}).some((count) => count > 0)) logger.info({ removed }, 'expired rows removed');
      },
      (error: unknown) => logger.warn({ error: String(error) }, 'cannot delete expired rows'),
    );
  };
  const first = setTimeout(run, firstMs).unref();
  const timer = setInterval(run, everyMs).unref();
  return {
    async close() {
      clearTimeout(first);
      clearInterval(timer);
      closing.abort();
      await running;
    },
  };
}
