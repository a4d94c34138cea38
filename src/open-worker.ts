import type { Backing } from './backing/index.ts';
import { createSourceOpener, createSourceReader } from './catalog/index.ts';
import type { Config } from './config.ts';
import type { Logger } from './logger.ts';
import { startWorker } from './operations/index.ts';
import type { OperationWorker, Sight } from './operations/index.ts';
import type { TenantIndexes } from './search/index.ts';

export type WorkerParts = Readonly<{
  config: Config;
  logger: Logger;
  backing: Backing;
  sight: Sight;
  similar: TenantIndexes;
}>;

/** Starts a worker as the configuration says; one that does not analyse leaves that to the service. */
export function openWorker(
  { config, logger, backing, sight, similar }: WorkerParts,
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
    sight,
    workers: config.workers,
    similar,
    mediaRoots: config.mediaRoots,
    analysis: { isDefault: config.ai.isOn, isElsewhere: !analyses },
  });
}
