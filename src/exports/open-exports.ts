import { join } from 'node:path';
import type { Database } from '../backing/index.ts';
import type { Config } from '../config/config.ts';
import { openStore } from '../storage/index.ts';
import { openExports } from './exports.ts';
import type { Exports } from './exports.ts';

/** Timeout of a request to the bucket, which stores or reads one part of a file. */
const timeoutMs = 60_000;

/** Opens exports in the bucket of previews if one is configured, otherwise in the data folder. */
export function openConfiguredExports(
  database: Database,
  { previews, dataDir }: Pick<Config, 'previews' | 'dataDir'>,
): Exports {
  const bucket = previews?.bucket ?? null;
  const own = bucket && { ...bucket, url: `${bucket.url}exports/` };
  return openExports(database, openStore(own, join(dataDir, 'exports'), { timeoutMs }));
}
