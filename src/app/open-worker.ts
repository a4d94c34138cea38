import type { Backing } from '../backing/index.ts';
import { createSourceOpener, createSourceReader } from '../catalog/index.ts';
import type { Answers } from '../lib/answers.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../observability/logger.ts';
import { startWorker } from '../operations/index.ts';
import type { OperationWorker } from '../operations/index.ts';
import type { ImageAnalyzer } from '../analysis/index.ts';
import type { TenantIndexes } from '../similarity/index.ts';

export type WorkerParts = Readonly<{
  config: Config;
  logger: Logger;
  backing: Backing;
  imageAnalyzer: ImageAnalyzer;
  similar: TenantIndexes;
  answers?: Answers;
}>;

/** Starts a worker as the configuration says; one that does not analyze leaves that to the service. */
export function openWorker(
  { config, logger, backing, imageAnalyzer, similar, answers }: WorkerParts,
  { analyses = true }: Readonly<{ analyses?: boolean }> = {},
): OperationWorker {
  const { database, notifications, queue } = backing;
  return startWorker({
    database,
    notifications,
    queue,
    logger,
    readSource: createSourceReader(config),
    openSource: createSourceOpener(config),
    imageAnalyzer,
    ...(answers && { answers }),
    workers: config.workers,
    similar,
    mediaRoots: config.mediaRoots,
    analysis: { isDefault: config.ai.isOn, isElsewhere: !analyses },
  });
}
