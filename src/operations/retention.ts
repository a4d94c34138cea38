import type { PoolClient } from 'pg';
import { inTransaction, lockKeys } from '../backing/index.ts';
import type { Database } from '../backing/index.ts';
import { notificationLimits } from '../notifications/index.ts';
import { counter } from '../observability/metrics/index.ts';
import { keepChangesHours } from '../similarity/index.ts';
import { keepAuditDays } from '../tenants/index.ts';
import { expiredMessages } from '../webhooks/index.ts';
import type { WorkerDeps } from './worker-deps.ts';
import { keepHistoryDays, keepOperationsDays, keepRemovalsDays } from './limits.ts';
import { repeat } from '../lib/repeat.ts';

/** Interval between removals of expired rows, and delay of the first one. */
const everyMs = 3_600_000;
const firstMs = 60_000;

/** Maximum rows per statement: keeps locks and rollbacks short when the process ends. */
const batchRows = 1_000;

const isOld = `finished_at < now() - interval '${keepOperationsDays} days'`;
const ofOld = (table: string) =>
  `SELECT row.ctid FROM operation JOIN ${table} row ON row.operation_id = operation.id WHERE ${isOld}`;

const ofChanges = (table: string) =>
  `SELECT ctid FROM ${table} WHERE changed_at < now() - interval '${keepChangesHours} hours'`;

/**
 * Changes older than their tenant's retention. The second condition, with the shortest retention of all tenants, is
 * there so that an index by time can be used.
 */
const ofHistory = (table: string, days: number) =>
  `SELECT row.ctid FROM ${table} row JOIN tenant t ON t.id = row.tenant_id
   WHERE row.at < now() - make_interval(days => COALESCE(t.history_days, ${days}))
     AND row.at < now() - (SELECT make_interval(days => min(COALESCE(history_days, ${days}))) FROM tenant)`;

/** Expiring rows, in order of removal: rows of an operation are removed before it, in separate batches. */
const expiredAfter = (historyDays: number) => [
  { table: 'idempotency_key', rows: 'SELECT ctid FROM idempotency_key WHERE expires_at <= now()' },
  { table: 'operation_error', rows: ofOld('operation_error') },
  { table: 'operation_unchanged', rows: ofOld('operation_unchanged') },
  { table: 'dry_change', rows: ofOld('dry_change') },
  { table: 'operation_analysis_error', rows: ofOld('operation_analysis_error') },
  { table: 'operation_event', rows: ofOld('operation_event') },
  {
    table: 'operation',
    // The file of an export is found by this row: without it, the file would never be removed.
    rows: `SELECT ctid FROM operation
      WHERE ${isOld} AND NOT EXISTS (SELECT FROM export_file f WHERE f.operation_id = operation.id)`,
  },
  { table: 'session', rows: 'SELECT ctid FROM session WHERE expires_at <= now()' },
  { table: 'mcp_proposal', rows: 'SELECT ctid FROM mcp_proposal WHERE expires_at <= now()' },
  {
    table: 'preview_removal',
    rows: `SELECT ctid FROM preview_removal
      WHERE removed_at < now() - interval '${keepRemovalsDays} days' OR at < now() - interval '${keepOperationsDays} days'`,
  },
  { table: 'query_image', rows: 'SELECT ctid FROM query_image WHERE expires_at <= now()' },
  { table: 'audit', rows: `SELECT ctid FROM audit WHERE at < now() - interval '${keepAuditDays} days'` },
  { table: 'key_use', rows: `SELECT ctid FROM key_use WHERE day < now() - interval '${keepAuditDays} days'` },
  {
    table: 'notification',
    rows: `SELECT ctid FROM notification WHERE at < now() - interval '${notificationLimits.days} days'`,
  },
  {
    table: 'notification',
    rows: `SELECT n.ctid FROM notification n JOIN notification_counter c USING (tenant_id)
      WHERE n.number <= c.last_number - ${notificationLimits.rowsPerTenant}`,
  },
  { table: 'webhook_delivery', rows: expiredMessages },
  { table: 'fingerprint_change', rows: ofChanges('fingerprint_change') },
  { table: 'frame_change', rows: ofChanges('frame_change') },
  { table: 'record_attachment', rows: ofHistory('record_attachment', historyDays) },
  { table: 'image_change', rows: ofHistory('image_change', historyDays) },
  { table: 'video_change', rows: ofHistory('video_change', historyDays) },
];

/** Number of removed rows, by table. */
export type Removed = Readonly<Record<string, number>>;

/**
 * Removes expired rows of all tenants. Only one process at a time does this.
 *
 * @param historyDays days that changes of records are kept, for tenants without their own setting
 * @returns null when another process is doing it.
 */
export async function removeExpired(
  { pool }: Database,
  historyDays: number = keepHistoryDays,
  signal?: AbortSignal,
): Promise<Removed | null> {
  const removed: Record<string, number> = {};
  for (const { table, rows: which } of expiredAfter(historyDays)) {
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

/** A lock of the transaction: one of the session would outlive it in a pooler's connection. */
async function deleteAlone(client: PoolClient, text: string): Promise<number | null> {
  const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [
    lockKeys.retention,
  ]);
  return rows[0]?.got === true ? ((await client.query(text)).rowCount ?? 0) : null;
}

type Retention = Readonly<{ close(): Promise<void> }>;

/** Removes expired rows, uploaded files and exports every hour, starting a minute after the start. */
export function startRetention({
  database,
  logger,
  historyDays,
  uploads,
  exports,
}: Pick<WorkerDeps, 'database' | 'logger' | 'historyDays' | 'uploads' | 'exports'>): Retention {
  const onError = (error: unknown) => void logger.warn({ error: String(error) }, 'cannot remove what has expired');
  const run = async (signal: AbortSignal) => {
    // Independently: a store that fails must not keep the rest from being removed.
    const rows = await removeExpired(database, historyDays, signal).catch(onError);
    // The removed history may have held the last reference to a file.
    const upload = await uploads?.removeExpired(new Date(), signal).catch(onError);
    const exported = await exports?.removeExpired(new Date(), signal).catch(onError);
    const removed = { ...rows, upload: upload ?? 0, export_file: exported ?? 0 };
    const all = Object.entries(removed).filter(([, count]) => count > 0);
    if (all.length > 0) logger.info({ removed: Object.fromEntries(all) }, 'what has expired is removed');
  };
  let stop = async () => {};
  const first = setTimeout(() => (stop = repeat(run, everyMs, onError)), firstMs).unref();
  return {
    close() {
      clearTimeout(first);
      return stop();
    },
  };
}
