import type { Backing } from '../backing/index.ts';
import type { Answers } from '../lib/answers.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../observability/logger.ts';
import { startWorker } from '../operations/index.ts';
import type { OperationWorker } from '../operations/index.ts';
import type { ImageAnalyzer } from '../analysis/index.ts';
import type { Previews } from '../previews/index.ts';
import type { TenantIndexes } from '../similarity/index.ts';
import { openDeliveries } from './open-deliveries.ts';
import type { Files } from './open-files.ts';

type WorkerParts = Readonly<{
  config: Config;
  logger: Logger;
  backing: Backing;
  files: Files;
  imageAnalyzer: ImageAnalyzer;
  similar: TenantIndexes;
  answers?: Answers;
  previews?: Previews | null;
}>;

/** Starts a worker as configured; without `analyses`, it leaves the analysis to the service. */
export function openWorker(
  { config, logger, backing, files, imageAnalyzer, similar, answers, previews }: WorkerParts,
  { analyses = true }: Readonly<{ analyses?: boolean }> = {},
): OperationWorker {
  const { database, notifications, queue } = backing;
  const { readSource, openSource, streamSource, uploads, exports } = files;
  return startWorker({
    database,
    notifications,
    queue,
    logger,
    readSource,
    openSource,
    streamSource,
    imageAnalyzer,
    ...(answers && { answers }),
    ...(previews && { onFiles: previews.noteStored }),
    workers: config.workers,
    similar,
    uploads,
    exports,
    deliveries: openDeliveries({ config, database, logger }),
    mediaRoots: config.mediaRoots,
    historyDays: config.historyDays,
    analysis: { isDefault: config.ai.isOn, isElsewhere: !analyses },
  });
}
