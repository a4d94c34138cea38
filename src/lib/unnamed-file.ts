import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Opens a temporary file for reading and writing that has no name, so that nothing of it remains when the process is
 * killed. Windows removes the name when the file is closed.
 */
export async function openUnnamedFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `vitrine-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    return file;
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
}
