import { partNames } from './parts.ts';
import type { StoredParts } from './parts.ts';
import type { FileStore } from './store.ts';

/** A file, and the tenant that it belongs to. */
export type OwnedParts = StoredParts & Readonly<{ tenantId: number }>;

type RemoveFilesOptions = Readonly<{
  /** The next few files to remove, except those that could not be removed. */
  next: (failed: readonly string[]) => Promise<readonly OwnedParts[]>;
  /** Deletes the rows of removed files. @returns their number. */
  drop: (ids: readonly string[]) => Promise<number>;
  signal: AbortSignal | undefined;
}>;

/** With this many files that cannot be removed, the store itself must be failing: give up until the next round. */
const mostFailures = 64;

/** Removes the parts of a file, including those stored but not yet listed when their process died. */
export async function removeParts(store: FileStore, file: OwnedParts): Promise<void> {
  for (const name of partNames(file.tenantId, file)) await store.remove(name);
}

/**
 * Removes the bytes of files and then their rows, until none are left. Not in a transaction, because a bucket may
 * take minutes. Two processes may do this at the same time: removing a file twice is no error.
 *
 * @returns number of removed files. @throws the first error of the store, after the other files were removed.
 */
export async function removeFiles(store: FileStore, { next, drop, signal }: RemoveFilesOptions): Promise<number> {
  let removed = 0;
  const failed: string[] = [];
  let fault: unknown = null;
  while (signal?.aborted !== true && failed.length < mostFailures) {
    const files = await next(failed);
    if (files.length === 0) break;
    const gone: string[] = [];
    const removals = files.map(async (file) => {
      try {
        await removeParts(store, file);
        gone.push(file.id);
      } catch (error) {
        fault ??= error;
        failed.push(file.id);
      }
    });
    await Promise.all(removals);
    removed += await drop(gone);
  }
  if (fault !== null) throw fault;
  return removed;
}
