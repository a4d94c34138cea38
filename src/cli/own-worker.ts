import { openAnalyzer } from '../app/open-analyzer.ts';
import { openFiles } from '../app/open-files.ts';
import { openWorker } from '../app/open-worker.ts';
import type { TenantIndexes } from '../similarity/index.ts';
import type { Session } from './session.ts';

/** Starts a worker for the duration of a command; without `analyses`, the analysis is left to the service. */
export function startOwnWorker(
  { backing, config, logger }: Session,
  similar: TenantIndexes,
  { analyses = true }: Readonly<{ analyses?: boolean }> = {},
): Readonly<{ close(): Promise<void> }> {
  const imageAnalyzer = openAnalyzer(config, { database: backing.database, logger });
  const files = openFiles(config, backing.database);
  const worker = openWorker({ config, logger, backing, files, imageAnalyzer, similar }, { analyses });
  return {
    async close() {
      await worker.close();
      await imageAnalyzer.close();
    },
  };
}
