import { opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

type File = Readonly<{ path: string; bytes: number; usedAt: number }>;

/** A sweep goes down to this share of the limit, so that not every new file triggers another sweep. */
const keptShare = 0.9;

/**
 * Removes the least recently used files until the rest fit, and unfinished files that ended processes left behind.
 *
 * @param maxBytes limit of what is kept. @param isOver ends it early. @returns bytes that are left.
 */
export async function sweep(folder: string, maxBytes: number, isOver: () => boolean): Promise<number> {
  const files = await listFiles(folder, isOver);
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= maxBytes) return bytes;
  files.sort((a, b) => a.usedAt - b.usedAt);
  for (const file of files) {
    if (bytes <= maxBytes * keptShare || isOver()) break;
    await rm(file.path, { force: true });
    bytes -= file.bytes;
  }
  return bytes;
}

async function listFiles(folder: string, isOver: () => boolean): Promise<File[]> {
  const files: File[] = [];
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (isOver()) break;
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // Another process may have removed it.
    const found = await stat(path).catch(() => null);
    if (found !== null) files.push({ path, bytes: found.size, usedAt: found.mtimeMs });
  }
  return files;
}
