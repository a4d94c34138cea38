import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../observability/logger.ts';
import type { EmbeddedPostgres } from './embedded-postgres.ts';

/** How often to check the process, and how long to wait after a failed start. */
const pauses = { pollMs: 1_000, faultMs: 5_000 } as const;

/**
 * Keeps the log of an embedded PostgreSQL within the size limit, and restarts it if its process has died: it was
 * killed, or the disk was full. Nothing else would, because the service goes on without it.
 *
 * @returns a function that stops this.
 */
export function keepPostgres(
  postgres: Pick<EmbeddedPostgres, 'revive' | 'rotateLog'>,
  logger: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  const check = async (): Promise<number> => {
    try {
      postgres.rotateLog();
      if (await postgres.revive()) logger.warn('the embedded PostgreSQL ended and was restarted');
      return pauses.pollMs;
    } catch (error) {
      logger.error({ reason: (error as Error).message }, 'the embedded PostgreSQL ended and cannot be restarted');
      return pauses.faultMs;
    }
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await sleep(await check(), undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await running;
  };
}
