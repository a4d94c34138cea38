import type { Config } from '../config/config.ts';
import { findAnalyzers } from './analysis.ts';
import { findDatabase } from './database.ts';
import type { Finding } from './finding.ts';
import { findMeilisearch } from './meilisearch.ts';
import { findApi, findRedis } from './services.ts';
import { findReplicas } from './replicas.ts';
import { findStores } from './stores.ts';
import { findDisk, findMedia, findRuntime } from './system.ts';

export { describeFinding } from './finding.ts';
export type { Finding } from './finding.ts';

/** Checks what is running, reachable and configured; for `vitrine doctor` and the console. */
export async function examine(config: Config): Promise<Finding[]> {
  const found = await Promise.all([
    findRuntime(config),
    findDatabase(config),
    findReplicas(config),
    findRedis(config.redisUrl),
    findMeilisearch(config.meili),
    findApi(config),
    findAnalyzers(config),
    findMedia(config),
    findDisk(config),
    findStores(config),
  ]);
  return found.flat();
}
