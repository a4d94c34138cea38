import type { Notifications } from '../../backing/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { operationState } from '../statements.ts';

/** Maximum delay after a missed notification. */
const pollMs = 500;

/**
 * Waits until an operation has finished, `ms` have passed, or `signal` fires.
 *
 * @returns whether it has finished.
 */
export async function waitForOperation(
  db: TenantDb,
  notifications: Notifications,
  id: number,
  { ms, signal }: Readonly<{ ms: number; signal?: AbortSignal | undefined }>,
): Promise<boolean> {
  const deadline = performance.now() + ms;
  const isTime = () => performance.now() >= deadline || signal?.aborted === true;
  let wake = () => {};
  let isNotified = false; // It may arrive while the table is read.
  const forget = notifications.on('vitrine_operation', (payload) => {
    if (payload !== `${id}:finished`) return;
    isNotified = true;
    wake();
  });
  try {
    for (;;) {
      if (await hasFinished(db, id, isTime)) return true;
      if (isTime()) return false;
      if (isNotified) {
        isNotified = false;
        continue;
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(pollMs, deadline - performance.now()));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal?.addEventListener('abort', wake, { once: true });
      });
      signal?.removeEventListener('abort', wake);
    }
  } finally {
    forget();
  }
}

/** A short outage of the database does not end the wait, because the operation continues afterwards. */
async function hasFinished(db: TenantDb, id: number, isTime: () => boolean): Promise<boolean> {
  try {
    const { rows } = await db.query<{ state: string }>(operationState, [id]);
    return rows[0] === undefined || rows[0].state === 'finished';
  } catch (error) {
    if (isTime()) throw error;
    return false;
  }
}
