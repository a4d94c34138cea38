import { join } from 'node:path';
import type { Config } from '../config/config.ts';

/** Which files go along with the database. */
export type FolderChoice = Readonly<{ media?: boolean | undefined; uploads?: boolean | undefined }>;

/** The folders of an archive: uploaded files are originals, so they are in it unless they are left out or in a bucket. */
export function foldersOf(
  { dataDir, mediaRoots, uploadBucket }: Pick<Config, 'dataDir' | 'mediaRoots' | 'uploadBucket'>,
  { media = false, uploads = true }: FolderChoice,
): Record<string, string> {
  const kept = uploads && uploadBucket === null ? [['uploads', join(dataDir, 'uploads')] as const] : [];
  const roots = media ? mediaRoots.map((root, index) => [`media${index === 0 ? '' : index + 1}`, root] as const) : [];
  return Object.fromEntries([['data', dataDir], ...kept, ...roots]);
}
