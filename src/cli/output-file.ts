import type { Stats } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SetupError } from '../lib/errors.ts';

/**
 * Refuses output files that must not be replaced by renaming a temporary file over them: folders, and devices and
 * pipes, which root could turn into regular files.
 *
 * @param file its path; - is standard output.
 * @throws SetupError that says what to name instead.
 */
export async function checkOutputFile(file: string): Promise<void> {
  if (file === '-') return;
  const found = await checkFolderOf(file);
  if (found === null || found.isFile()) return;
  if (found.isDirectory()) throw new SetupError(`${file} is a folder. Name a file in it.`);
  throw new SetupError(`${file} is a device or a pipe. Name a file, or - for standard output.`);
}

/**
 * Fails early, before the actual work, if a new file cannot be written because of its folder.
 *
 * @returns what exists there; null for a new file.
 */
export async function checkFolderOf(file: string): Promise<Stats | null> {
  const found = await stat(file).catch(() => null);
  if (found === null) await access(dirname(resolve(file)), constants.W_OK); // The message then names the folder, not a dot.
  return found;
}
