import type { Config } from '../config/config.ts';
import { findAnalyzers } from './analysis.ts';
import { findDatabase } from './database.ts';
import type { Finding } from './finding.ts';
import { findMeilisearch } from './meilisearch.ts';
import { findApi, findBaseUrl, findMetrics, findRedis } from './services.ts';
import { findReplicas } from './replicas.ts';
import { findStores } from './stores.ts';
import { findDisk, findMedia, findMisspelled, findRuntime } from './system.ts';

export { describeFinding } from './finding.ts';
export type { Finding } from './finding.ts';

/** Checks what is running, reachable and configured; for `vitrine doctor` and the console. */
export async function examine(config: Config): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(checks).map(([subject, check]) => check(config).catch((error: unknown) => [failed(subject, error)])),
  );
  return found.flat();
}

/** The checks by their subject. One that fails becomes a finding, so that the others are still shown. */
const checks: Readonly<Record<string, (config: Config) => Promise<Finding[]>>> = {
  node: async (config) => findRuntime(config),
  settings: async () => findMisspelled(),
  database: findDatabase,
  replica: findReplicas,
  redis: ({ redisUrl }) => findRedis(redisUrl),
  meilisearch: ({ meili }) => findMeilisearch(meili),
  api: findApi,
  metrics: findMetrics,
  address: findBaseUrl,
  pictures: findAnalyzers,
  media: findMedia,
  disk: findDisk,
  previews: findStores,
};

function failed(subject: string, error: unknown): Finding {
  const { message } = error instanceof Error ? error : new Error(String(error));
  const [text = '', ...remedy] = message.split('\n');
  return { subject, state: 'fault', text, ...(remedy.length > 0 && { remedy: remedy.join(' ') }) };
}
