import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A file that is not finished by then never will be, because its process has died. Also the interval between
 * cleanups.
 */
const unfinishedMs = 3_600_000;

/** Files that are still being written, in a folder of their own inside that of a store. */
export function openUnfinished(storeFolder: string) {
  const folder = join(storeFolder, '.unfinished');
  let removedAt = -Infinity;
  let removing: Promise<void> = Promise.resolve();

  return {
    /** The path of a new file. Occasionally also cleans up after processes that died. */
    newPath(): string {
      if (performance.now() - removedAt >= unfinishedMs) {
        removedAt = performance.now();
        removing = removeOld(folder).catch(() => {}); // There may be no folder yet.
      }
      return join(folder, randomUUID());
    },
    /** Resolves once no removal is in progress. */
    close: (): Promise<void> => removing,
  };
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another process may have finished or removed it.
    const written = await stat(path).catch(() => null);
    if (written !== null && Date.now() - written.mtimeMs > unfinishedMs) await rm(path, { force: true });
  }
}
