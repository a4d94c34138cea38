import { openAnalyzer } from '../app/open-analyzer.ts';
import { openFiles } from '../app/open-files.ts';
import type { Files } from '../app/open-files.ts';
import { openWorker } from '../app/open-worker.ts';
import { removePreviews, startRemovals } from '../previews/index.ts';
import type { TenantIndexes } from '../similarity/index.ts';
import type { Session } from './session.ts';

/** Starts a worker for the duration of a command; without `analyses`, the analysis is left to the service. */
export function startOwnWorker(
  session: Session,
  similar: TenantIndexes,
  { analyses }: Readonly<{ analyses: boolean }>,
): Readonly<{ close(): Promise<void> }> {
  const { backing, config, logger } = session;
  const imageAnalyzer = openAnalyzer(config, { database: backing.database, logger });
  const files = openFiles(config, backing.database);
  const worker = openWorker({ config, logger, backing, files, imageAnalyzer, similar }, { analyses });
  const removals = startOwnRemovals(session, files);
  return {
    async close() {
      await worker.close();
      // Removes the previews of what the command purged; if that fails, the service removes them later.
      await removals?.removeNow();
      await removals?.close();
      await imageAnalyzer.close();
    },
  };
}

/** Removes previews of purged records from the store of previews; null if there is none. */
function startOwnRemovals({ backing, config, logger }: Session, { previewStore: store }: Files) {
  if (store === null) return null;
  const { database, notifications } = backing;
  const isShared = config.previews?.bucket != null;
  return startRemovals({ database, notifications, logger, isShared, forget: (shown) => removePreviews(store, shown) });
}
