import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { openStore } from '../storage/index.ts';
import type { FileStore } from '../storage/index.ts';

/** Opens the configured store of previews; null if none are made. */
export function openPreviewStore({ previews, dataDir }: Pick<Config, 'previews' | 'dataDir'>): FileStore | null {
  if (previews === null) return null;
  const { bucket, cacheBytes } = previews;
  return openStore(bucket, join(dataDir, 'previews'), { maxBytes: cacheBytes });
}
