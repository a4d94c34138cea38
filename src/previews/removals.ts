import type { Database, Notifications } from '../backing/index.ts';
import { createRepeater } from '../lib/repeater.ts';
import { repeat } from '../lib/repeat.ts';
import type { Logger } from '../observability/logger.ts';
import { HandledRemovals } from './handled-removals.ts';
import type { ShownFiles } from './remove-previews.ts';

/** Removals per statement; each names at most 100 files. */
const batch = 4;

/** After this many failed removals, the store itself is assumed to be down; the next run tries again. */
const mostFailures = 8;

/** Milliseconds between runs, which also find removals whose notification was lost. */
const everyMs = 60_000;

/** Maximum difference between the clocks of the process and of the database. */
const clockMs = 300_000;

type RemovalDeps = Readonly<{
  database: Database;
  notifications: Notifications;
  logger: Logger;
  /** Whether all processes share the store: then each removal is done only once. */
  isShared: boolean;
  /** Removes all previews of files. @throws if the store fails; the removal is then tried again. */
  forget: (shown: ShownFiles) => Promise<void>;
}>;

type Removal = ShownFiles & Readonly<{ id: number }>;

/**
 * `$3`: when this process started, if removals that others did before that need not be repeated here; otherwise null.
 */
const next = `
  SELECT id, tenant_id AS "tenantId", resource, files FROM preview_removal
  WHERE id > $1 AND id <> ALL($2::bigint[]) AND ($3::timestamptz IS NULL OR removed_at IS NULL OR removed_at >= $3)
  ORDER BY id LIMIT ${batch}`;

const done = 'UPDATE preview_removal SET removed_at = COALESCE(removed_at, now()) WHERE id = $1';

/**
 * Removes the previews of purged records: those in the table `preview_removal`, which purges fill in their
 * transactions. Each process does so for its own store and memory, at startup, after notifications, and every minute;
 * rows stay for a week.
 */
export function startRemovals({ database: { pool }, notifications, logger, isShared, forget }: RemovalDeps) {
  const startedAt = isShared ? new Date(Date.now() - clockMs) : null;
  const handled = new HandledRemovals();
  const onError = (error: unknown) =>
    logger.error({ reason: String(error) }, 'previews of purged records cannot be removed; this is tried again');

  async function remove({ id, ...shown }: Removal): Promise<boolean> {
    try {
      await forget(shown);
      await pool.query(done, [id]);
      handled.add(id);
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  const closing = new AbortController();

  /** Handles the pending removals once; failed ones wait for the next run. */
  async function removeAll(): Promise<boolean> {
    const failed: number[] = [];
    for (let after = handled.settled; failed.length < mostFailures;) {
      const { rows } = await pool.query<Removal>(next, [after, handled.ids(), startedAt]);
      for (const row of rows) {
        if (closing.signal.aborted) return false;
        if (!(await remove(row))) failed.push(row.id);
        after = row.id;
      }
      if (rows.length < batch) break;
    }
    handled.settle(failed[0] ?? Infinity);
    return false;
  }

  const removing = createRepeater(removeAll, onError);
  const stop = repeat(removing.ask, everyMs, onError);
  const stopListening = notifications.on('vitrine_preview', () => void removing.ask());

  return {
    /** Handles the pending removals now; failures are logged. */
    removeNow: removing.ask,
    async close(): Promise<void> {
      stopListening();
      closing.abort();
      await stop();
      await removing.stop();
    },
  };
}
