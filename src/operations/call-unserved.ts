import type { TurnCall, TurnQueue } from '../backing/index.ts';
import type { Logger } from '../logger.ts';

/** Has tenants served whom nobody serves. */
export type Caller = Readonly<{
  call(turns: readonly TurnCall[]): Promise<void>;
  /** Resolves when none of those that were served without the queue is served any more. */
  ended(): Promise<void>;
}>;

/**
 * Calls for tenants that a look at the tables found: by the queue, so that the worker that has time
 * takes them. Where the queue is away this worker serves them itself; the turn, which is in the
 * database, keeps it apart from workers that do the same.
 */
export function createCaller(queue: TurnQueue, serve: (turn: TurnCall) => Promise<void>, logger: Logger): Caller {
  const served = new Map<number, Promise<void>>();

  function serveHere(turn: TurnCall): void {
    if (served.has(turn.tenantId)) return;
    // Should it end early, the next look finds the tenant again.
    const serving = serve(turn)
      .catch((error: unknown) => logger.debug({ error: String(error) }, 'a turn without the queue ended'))
      .finally(() => served.delete(turn.tenantId));
    served.set(turn.tenantId, serving);
  }

  return {
    async call(turns) {
      let isAway = false;
      for (const turn of turns) {
        try {
          // A queue that is away may take long to say so, and is not asked again for each tenant.
          if (!isAway) await queue.call(turn, { urgent: false, isRepeated: true });
        } catch {
          isAway = true;
        }
        if (isAway) serveHere(turn);
      }
    },
    async ended() {
      await Promise.all(served.values());
    },
  };
}
