import { MergeImages } from '../api/documents.ts';
import { writeOnce } from '../api/write-once.ts';
import type { WriteOptions, WriteResult } from '../edit/write.ts';

/** Keeps one of several pictures, which takes over what it lacks, and deletes the others; or tries it. */
export async function merge(
  into: string,
  ids: readonly string[],
  { dryRun, ...once }: WriteOptions,
): Promise<WriteResult> {
  return (await writeOnce(MergeImages, { into, ids, dryRun }, once)).mergeImages;
}
