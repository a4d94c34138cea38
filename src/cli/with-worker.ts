import { hasLiveWorker } from '../operations/index.ts';
import { TenantIndexes } from '../similarity/index.ts';
import { startOwnWorker } from './own-worker.ts';
import type { Session } from './session.ts';

/** Runs work while a worker is running: that of the service, or one started for it. */
export async function withWorker<T>(session: Session, work: () => Promise<T>): Promise<T> {
  if (await hasLiveWorker(session.backing.database)) return work();
  const similar = new TenantIndexes(session.config.similarityBytes, session.config.workers, session.config.similarity);
  const worker = startOwnWorker(session, similar, { analyses: false });
  try {
    return await work();
  } finally {
    await worker.close();
    await similar.close();
  }
}
