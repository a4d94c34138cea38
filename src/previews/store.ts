import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { sweep } from './sweep.ts';

/** Keeps the files of previews by name. Losing one costs only the time to make it again. */
export type PreviewStore = Readonly<{
  /** The file of this name; null where it is not kept. */
  read(name: string): Promise<Buffer | null>;
  write(name: string, bytes: Buffer): Promise<void>;
  /** Resolves when nothing is being removed any more. */
  close(): Promise<void>;
}>;

/** Where previews are kept as configured; null where none are made. */
export function openPreviewStore({ previewBytes, dataDir }: Config): PreviewStore | null {
  return previewBytes === null ? null : openFileStore(join(dataDir, 'previews'), previewBytes);
}

/** How often it is noted that a file was used: what counts is the day. */
const touchMs = 3_600_000;

/**
 * Keeps files in a folder, up to so many bytes: beyond them those go that were not used for longest. Processes may
 * share a folder.
 */
export function openFileStore(folder: string, maxBytes: number): PreviewStore {
  /** Unknown until the folder has been read. */
  let bytesKept: number | null = null;
  let sweeping: Promise<void> | null = null;
  let isClosed = false;

  function keepWithin(): void {
    if (sweeping !== null || isClosed || (bytesKept !== null && bytesKept <= maxBytes)) return;
    const written = bytesKept ?? 0;
    sweeping = sweep(folder, maxBytes, () => isClosed)
      .then((left) => void (bytesKept = left + ((bytesKept ?? 0) - written)))
      .catch(() => {})
      .finally(() => void (sweeping = null));
  }

  return {
    async read(name) {
      const path = join(folder, name);
      try {
        const [bytes, { mtimeMs }] = await Promise.all([readFile(path), stat(path)]);
        const now = Date.now();
        if (now - mtimeMs > touchMs) await utimes(path, now / 1000, now / 1000).catch(() => {});
        return bytes;
      } catch {
        return null;
      }
    },
    async write(name, bytes) {
      const path = join(folder, name);
      const unfinished = `${path}.${randomUUID()}`;
      await mkdir(dirname(path), { recursive: true });
      try {
        await writeFile(unfinished, bytes);
        await rename(unfinished, path);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
      if (bytesKept !== null) bytesKept += bytes.length;
      keepWithin();
    },
    async close() {
      isClosed = true;
      await sweeping;
    },
  };
}
