import type { Database, Notifications } from '../backing/index.ts';
import { repeat } from '../lib/repeat.ts';
import type { Logger } from '../observability/logger.ts';
import type { ShownFiles } from './remove-previews.ts';

/** Removals that one statement reads; each names 100 files at most. */
const batch = 4;

/** With this many removals that fail, the store itself is taken to fail: the next look tries again. */
const mostFailures = 8;

/** Milliseconds between looks into the table, which also find what no notification told. */
const everyMs = 60_000;

/** By how much the clocks of the process and of the database may differ. */
const clockMs = 300_000;

export type RemovalDeps = Readonly<{
  database: Database;
  notifications: Notifications;
  logger: Logger;
  /** Whether the store is that of all processes: then each removal is worked off once. */
  isShared: boolean;
  /** Removes all previews of files. @throws if the store fails; it is tried again then. */
  forget: (shown: ShownFiles) => Promise<void>;
}>;

type Removal = ShownFiles & Readonly<{ id: number }>;

/** `$2`: when this process started, if what others removed before needs no removal here. */
const next = `
  SELECT id, tenant_id AS "tenantId", resource, files FROM preview_removal
  WHERE id <> ALL($1::bigint[]) AND ($2::timestamptz IS NULL OR removed_at IS NULL OR removed_at >= $2)
  ORDER BY id LIMIT ${batch}`;

const done = 'UPDATE preview_removal SET removed_at = COALESCE(removed_at, now()) WHERE id = $1';

/**
 * Removes the previews of purged records: those in the table `preview_removal`, which the transactions of purges fill. Each
 * process does so for its own store and memory, at its start, after notifications, and every minute; rows stay for a week.
 */
export function startRemovals({ database: { pool }, notifications, logger, isShared, forget }: RemovalDeps) {
  const startedAt = isShared ? new Date(Date.now() - clockMs) : null;
  /** Rows that this process has worked off. Their ids, and not the highest: transactions do not end in the order of ids. */
  const handled = new Set<number>();
  const onError = (error: unknown) =>
    logger.error({ reason: String(error) }, 'previews of purged records cannot be removed; this is tried again');

  async function removeAll(signal?: AbortSignal): Promise<void> {
    const failed: number[] = [];
    while (failed.length < mostFailures) {
      const { rows } = await pool.query<Removal>(next, [[...handled, ...failed], startedAt]);
      if (rows.length === 0) return;
      for (const { id, ...shown } of rows) {
        if (signal?.aborted === true) return;
        try {
          await forget(shown);
          await pool.query(done, [id]);
          handled.add(id);
        } catch (error) {
          onError(error);
          failed.push(id);
        }
      }
    }
  }

  /** Runs one after the other, so that none works off what another is about to. */
  let last: Promise<void> = Promise.resolve();
  const run = (signal?: AbortSignal) => (last = last.catch(() => {}).then(() => removeAll(signal)));
  const closing = new AbortController();
  const stop = repeat(run, everyMs, onError);
  const stopListening = notifications.on('vitrine_preview', () => void run(closing.signal).catch(onError));

  return {
    /** Works off what is in the table now. */
    removeNow: () => run(),
    async close(): Promise<void> {
      stopListening();
      closing.abort();
      await stop();
      await last.catch(() => {});
    },
  };
}
