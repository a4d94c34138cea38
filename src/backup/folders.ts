import { join } from 'node:path';
import type { Config } from '../config/config.ts';

/** Which files to include with the database. */
export type FolderChoice = Readonly<{ media?: boolean | undefined; uploads?: boolean | undefined }>;

/**
 * The folders of an archive. Uploaded files are originals, so they are included unless they are excluded or stored in a
 * bucket.
 */
export function foldersOf(
  { dataDir, mediaRoots, uploadBucket }: Pick<Config, 'dataDir' | 'mediaRoots' | 'uploadBucket'>,
  { media = false, uploads = true }: FolderChoice,
): Record<string, string> {
  const kept = uploads && uploadBucket === null ? [['uploads', join(dataDir, 'uploads')] as const] : [];
  const roots = media ? mediaRoots.map((root, index) => [`media${index === 0 ? '' : index + 1}`, root] as const) : [];
  return Object.fromEntries([['data', dataDir], ...kept, ...roots]);
}
