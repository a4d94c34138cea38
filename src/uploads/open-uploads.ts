import { join } from 'node:path';
import type { Database } from '../backing/index.ts';
import type { Config } from '../config/config.ts';
import { openStore } from '../storage/index.ts';
import { openUploads } from './uploads.ts';
import type { Uploads } from './uploads.ts';

/** Time limit for storing or reading one part of a file. */
const timeoutMs = 60_000;

/** Opens uploads in the configured store. */
export function openConfiguredUploads(database: Database, config: Pick<Config, 'uploadBucket' | 'dataDir'>): Uploads {
  const folder = join(config.dataDir, 'uploads');
  return openUploads(database, openStore(config.uploadBucket, folder, { isDurable: true, timeoutMs }));
}
