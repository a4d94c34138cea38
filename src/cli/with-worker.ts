import { loadOnce } from '../lib/load-once.ts';
import { hasLiveWorker } from '../operations/index.ts';
import { TenantIndexes } from '../similarity/index.ts';
import { startOwnWorker } from './own-worker.ts';
import type { Session } from './session.ts';

/** What the work can use while a worker is running. */
type Working = Readonly<{
  /** The indexes of this process. */
  similar: TenantIndexes;
  /**
   * Stops our own worker after what is in flight, so that the work can count what was done; a worker of the service
   * keeps running.
   */
  stop(): Promise<void>;
}>;

/**
 * Runs work while a worker is running: that of the service, or one started for the work. Without `analyses`, our own
 * worker leaves the analysis to the service.
 */
export async function withWorker<T>(
  session: Session,
  { analyses }: Readonly<{ analyses: boolean }>,
  work: (working: Working) => Promise<T>,
): Promise<T> {
  const { config, backing } = session;
  const similar = new TenantIndexes(config.similarityBytes, config.workers, config.similarity);
  const worker = (await hasLiveWorker(backing.database)) ? null : startOwnWorker(session, similar, { analyses });
  const stop = loadOnce(async () => {
    await worker?.close();
    await similar.close();
  });
  try {
    return await work({ similar, stop });
  } finally {
    await stop();
  }
}
