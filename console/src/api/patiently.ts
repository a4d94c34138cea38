import { ApiError } from './graphql.ts';

/** Why a request waits: the service does not answer, or it has not finished an earlier request. */
export type WaitReason = 'away' | 'busy';

/** A caller that waits. `onWait` receives the reason, or null when the wait is over; `signal` ends the wait. */
export type Waiter = Readonly<{ onWait: (reason: WaitReason | null) => void; signal?: AbortSignal }>;

/** Pauses between attempts, in order; the last one is used from then on. */
const pausesMs = [500, 1_000, 2_000, 5_000] as const;
/** Maximum number of attempts before giving up: enough for a service that is down for an hour. */
const mostAttempts = 720;

/** The pause after this many attempts. */
export function pauseMs(attempts: number): number {
  return pausesMs[Math.min(attempts, pausesMs.length) - 1] ?? pausesMs[0];
}

/**
 * Repeats a request for as long as the service is away.
 *
 * @throws what the last attempt threw; the first error that waiting cannot fix; the reason of the waiter's signal
 */
export async function patiently<T>(ask: () => Promise<T>, { onWait, signal }: Waiter): Promise<T> {
  try {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await ask();
      } catch (error) {
        const reason = reasonToWait(error);
        if (reason === null || attempts >= mostAttempts) throw error;
        onWait(reason);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs(attempts)));
      signal?.throwIfAborted();
    }
  } finally {
    onWait(null);
  }
}

/** Whether the service does not answer, but would once it is back. */
export function isAway(error: unknown): boolean {
  return reasonToWait(error) === 'away';
}

function reasonToWait(error: unknown): WaitReason | null {
  if (!(error instanceof ApiError)) return null;
  if (error.code === 'idempotency_key_in_use') return 'busy';
  return [0, 502, 503, 504].includes(error.status) || error.code === 'unavailable' ? 'away' : null;
}
