import { stat } from 'node:fs/promises';
import { SetupError } from '../lib/errors.ts';

/**
 * Refuses what a file that is written beside it and renamed must not replace: a folder, and a device or pipe, of which root
 * would make a file.
 *
 * @param file its path; - is standard output.
 * @throws SetupError that says what to name instead.
 */
export async function checkOutputFile(file: string): Promise<void> {
  const found = file === '-' ? null : await stat(file).catch(() => null);
  if (found === null || found.isFile()) return;
  if (found.isDirectory()) throw new SetupError(`${file} is a folder. Name a file in it.`);
  throw new SetupError(`${file} is a device or a pipe. Name a file, or - for standard output.`);
}
