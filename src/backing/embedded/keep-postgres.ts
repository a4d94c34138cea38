import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../observability/logger.ts';
import type { EmbeddedPostgres } from './embedded-postgres.ts';

/** How often it is looked whether its process lives, and how long after a start that failed. */
const pauses = { pollMs: 1_000, faultMs: 5_000 } as const;

/**
 * Starts an embedded PostgreSQL again whose process ended: it was killed, or the disk was full.
 * Nobody else would: the service goes on without it.
 *
 * @returns how to leave it alone from now on.
 */
export function keepPostgres(postgres: Pick<EmbeddedPostgres, 'revive'>, logger: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const look = async (): Promise<number> => {
    try {
      if (await postgres.revive()) logger.warn('the embedded PostgreSQL had ended and was started again');
      return pauses.pollMs;
    } catch (error) {
      logger.error({ reason: (error as Error).message }, 'the embedded PostgreSQL has ended and does not start');
      return pauses.faultMs;
    }
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await sleep(await look(), undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await running;
  };
}
