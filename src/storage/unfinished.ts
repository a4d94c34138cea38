import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that is not finished after this time never will be: its process has ended. Also how often these are removed. */
const unfinishedMs = 3_600_000;

/** Files that are being written, in a folder of their own within that of a store. */
export function openUnfinished(storeFolder: string) {
  const folder = join(storeFolder, '.unfinished');
  let removedAt = -Infinity;
  let removing: Promise<void> = Promise.resolve();

  return {
    /** The path of a new file. Now and then, what ended processes have left is removed. */
    newPath(): string {
      if (performance.now() - removedAt >= unfinishedMs) {
        removedAt = performance.now();
        removing = removeOld(folder).catch(() => {}); // There may be no folder yet.
      }
      return join(folder, randomUUID());
    },
    /** Resolves when nothing is being removed anymore. */
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
