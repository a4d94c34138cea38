import type { Database } from '../../backing/index.ts';

/** How long a lease lasts unless it is renewed, and how often it is renewed. */
const leaseMs = 20_000;
const renewMs = 5_000;

/** The right to update Meilisearch, which one process has at a time. */
export type Lease = Readonly<{
  /** Takes or renews it. @returns false if another process has it. */
  hold(): Promise<boolean>;
  /** @throws Error if it may have expired. */
  assertHeld(): void;
  release(): Promise<void>;
}>;

/** Opens a lease. It is stored as a row and not as a session lock, because a pooler may share sessions. */
export function openLease({ pool }: Database, leaseId: string): Lease {
  let heldUntil = 0;
  let renewal: NodeJS.Timeout | undefined;
  let renewing: Promise<unknown> = Promise.resolve();

  async function take(): Promise<boolean> {
    const began = Date.now();
    const { rowCount } = await pool.query(
      `UPDATE search_index SET lease_id = $1, lease_expires_at = now() + $2 * interval '1 ms'
       WHERE resource = 'image' AND (lease_id = $1 OR lease_id IS NULL OR lease_expires_at < now())`,
      [leaseId, leaseMs],
    );
    heldUntil = rowCount === 1 ? began + leaseMs : 0;
    return rowCount === 1;
  }

  function stop(): void {
    clearInterval(renewal);
    renewal = undefined;
    heldUntil = 0;
  }

  return {
    async hold() {
      if (Date.now() < heldUntil - leaseMs / 2) return true;
      if (!(await take())) {
        stop();
        return false;
      }
      // Indexing a message may take longer than a lease lasts.
      renewal ??= setInterval(() => (renewing = take().catch(() => {})), renewMs).unref();
      return true;
    },
    assertHeld() {
      if (Date.now() > heldUntil - renewMs) throw new Error('another process has the lease of the indexer');
    },
    async release() {
      const wasHeld = heldUntil > 0;
      stop();
      await renewing; // It would take the lease again.
      stop();
      if (wasHeld) await pool.query('UPDATE search_index SET lease_id = NULL WHERE lease_id = $1', [leaseId]);
    },
  };
}
