import type { BucketConfig } from '../config/storage-config.ts';
import { openBucketStore } from './bucket-store.ts';
import { openFolderStore } from './folder-store.ts';
import type { FileStore, StoreOptions } from './store.ts';

/** Opens the bucket if one is configured, otherwise the folder. */
export function openStore(bucket: BucketConfig | null, folder: string, options: StoreOptions): FileStore {
  return bucket === null ? openFolderStore(folder, options) : openBucketStore(bucket, options);
}
