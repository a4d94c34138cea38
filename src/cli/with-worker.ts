import { hasLiveWorker } from '../operations/index.ts';
import { TenantIndexes } from '../similarity/index.ts';
import { startOwnWorker } from './own-worker.ts';
import type { Session } from './session.ts';

/**
 * Runs work, which gets the indexes of this process, while a worker is running: that of the service, or one started for it.
 * Without `analyses`, that one leaves the analysis to the service.
 */
export async function withWorker<T>(
  session: Session,
  { analyses }: Readonly<{ analyses: boolean }>,
  work: (similar: TenantIndexes) => Promise<T>,
): Promise<T> {
  const { config, backing } = session;
  const similar = new TenantIndexes(config.similarityBytes, config.workers, config.similarity);
  const worker = (await hasLiveWorker(backing.database)) ? null : startOwnWorker(session, similar, { analyses });
  try {
    return await work(similar);
  } finally {
    await worker?.close();
    await similar.close();
  }
}
