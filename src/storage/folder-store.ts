import { open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeOwnedFolder } from '../lib/secret-file.ts';
import type { StoredRange, FileStore, StoreOptions } from './store.ts';
import { sweep } from './sweep.ts';
import { openUnfinished } from './unfinished.ts';

/** How often a file's last use is recorded; only the day matters. */
const touchMs = 3_600_000;

/** Stores files in a folder, which processes may share. */
export function openFolderStore(folder: string, { maxBytes = Infinity, isDurable = false }: StoreOptions): FileStore {
  /** Unknown until the folder has been read. */
  let bytesKept: number | null = null;
  let sweeping: Promise<void> | null = null;
  let isClosed = false;
  const unfinishedFiles = openUnfinished(folder);

  function keepWithin(): void {
    if (maxBytes === Infinity || sweeping !== null || isClosed) return;
    if (bytesKept !== null && bytesKept <= maxBytes) return;
    const written = bytesKept ?? 0;
    sweeping = sweep(folder, maxBytes, () => isClosed)
      .then((left) => void (bytesKept = left + ((bytesKept ?? 0) - written)))
      .catch(() => {})
      .finally(() => void (sweeping = null));
  }

  /** Records that a file was used, so that the sweep keeps it. */
  async function touch(path: string): Promise<void> {
    if (maxBytes === Infinity) return;
    const now = Date.now();
    if (now - (await stat(path)).mtimeMs > touchMs) await utimes(path, now / 1000, now / 1000);
  }

  return {
    async read(name, range) {
      const path = join(folder, name);
      try {
        const bytes = range === undefined ? await readFile(path) : await readRange(path, range);
        await touch(path).catch(() => {});
        return bytes;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async write(name, bytes) {
      const pieces = Buffer.isBuffer(bytes) ? [bytes] : bytes;
      const path = join(folder, name);
      const unfinished = unfinishedFiles.newPath();
      const file = await inFolder(unfinished, () => open(unfinished, 'w'));
      try {
        await writeAll(file, pieces);
        await inFolder(path, () => rename(unfinished, path));
        // Sync after the rename, so that the name is on disk as well.
        if (isDurable) await file.sync();
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      } finally {
        await file.close();
      }
      if (bytesKept !== null) bytesKept += bytesOf(pieces);
      keepWithin();
    },
    remove: (name) => rm(join(folder, name), { force: true }),
    async close() {
      isClosed = true;
      await Promise.all([sweeping, unfinishedFiles.close()]);
    },
  };
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

async function readRange(path: string, { start, end }: StoredRange): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(end - start), 0, end - start, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Runs an action that needs the folder of a file, and creates the folder if it is missing. */
async function inFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isMissing(error)) throw error;
    makeOwnedFolder(dirname(path));
    return work();
  }
}

/** Writes with as few system calls as possible; `writeFile` makes one per 512 KiB. */
async function writeAll(file: FileHandle, pieces: readonly Buffer[]): Promise<void> {
  let left = pieces.filter(({ length }) => length > 0);
  while (left.length > 0) left = after((await file.writev(left)).bytesWritten, left);
}

/** What is left of the pieces after this many bytes. */
function after(bytes: number, pieces: readonly Buffer[]): Buffer[] {
  let passed = 0;
  return pieces.flatMap((piece) => {
    const from = bytes - passed;
    passed += piece.length;
    return from >= piece.length ? [] : [piece.subarray(Math.max(0, from))];
  });
}

function bytesOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
