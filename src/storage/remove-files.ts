import { partName } from './parts.ts';
import type { StoredParts } from './parts.ts';
import type { FileStore } from './store.ts';

/** A file, and the tenant that it belongs to. */
export type OwnedParts = StoredParts & Readonly<{ tenantId: number }>;

export type RemoveFilesOptions = Readonly<{
  /** The next files to remove, a few at a time: their bytes are removed at the same time. */
  next: () => Promise<readonly OwnedParts[]>;
  /** Deletes the rows of removed files. @returns their number. */
  drop: (ids: readonly string[]) => Promise<number>;
  signal: AbortSignal | undefined;
}>;

/** Removes the parts of a file, including a part that was stored but not listed before its process ended. */
export async function removeParts(store: FileStore, { tenantId, id, parts }: OwnedParts): Promise<void> {
  let offset = 0;
  for (const size of [...parts, 0]) {
    await store.remove(partName(tenantId, id, offset));
    offset += size;
  }
}

/**
 * Removes the bytes of files and then their rows, until there are no more. Not in a transaction: a bucket may need minutes.
 * Two processes may do this at the same time, since removing twice is no error.
 *
 * @returns number of removed files. @throws the first error of the store, after the rows of the other files were deleted.
 */
export async function removeFiles(store: FileStore, { next, drop, signal }: RemoveFilesOptions): Promise<number> {
  let removed = 0;
  while (signal?.aborted !== true) {
    const files = await next();
    if (files.length === 0) break;
    const outcomes = await Promise.allSettled(files.map((file) => removeParts(store, file)));
    const gone = files.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    removed += await drop(gone.map(({ id }) => id));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
  return removed;
}
