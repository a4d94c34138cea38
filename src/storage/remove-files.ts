import { partNames } from './parts.ts';
import type { StoredParts } from './parts.ts';
import type { FileStore } from './store.ts';

/** A file, and the tenant that it belongs to. */
export type OwnedParts = StoredParts & Readonly<{ tenantId: number }>;

type RemoveFilesOptions = Readonly<{
  /** The next files to remove, a few at a time, without those that could not be removed. */
  next: (failed: readonly string[]) => Promise<readonly OwnedParts[]>;
  /** Deletes the rows of removed files. @returns their number. */
  drop: (ids: readonly string[]) => Promise<number>;
  signal: AbortSignal | undefined;
}>;

/** With this many files that cannot be removed, the store itself is taken to fail: the next round tries again. */
const mostFailures = 64;

/** Removes the parts of a file, including parts that were stored but not listed before their process ended. */
export async function removeParts(store: FileStore, file: OwnedParts): Promise<void> {
  for (const name of partNames(file.tenantId, file)) await store.remove(name);
}

/**
 * Removes the bytes of files and then their rows, until there are no more. Not in a transaction: a bucket may need minutes.
 * Two processes may do this at the same time, since removing twice is no error.
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
