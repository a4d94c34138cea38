import { MergeImages } from '../api/documents.ts';
import { writeOnce } from '../api/write-once.ts';
import type { WriteOptions, WriteResult } from '../edit/write.ts';
import type { Member } from './comparison.ts';

/**
 * Keeps one of several pictures, which takes over the values that it lacks, and deletes the others, unless they have
 * changed since they were read; or does a dry run of that.
 */
export async function merge(
  kept: Member,
  others: readonly Member[],
  { dryRun, ...once }: WriteOptions,
): Promise<WriteResult> {
  const versions = [kept, ...others].map(({ image: { id, version } }) => ({ id, version }));
  const ids = others.map(({ imageId }) => imageId);
  return (await writeOnce(MergeImages, { into: kept.imageId, ids, versions, dryRun }, once)).mergeImages;
}
