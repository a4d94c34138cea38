import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { resourceOfFile } from '../catalog/index.ts';
import { SetupError } from '../lib/errors.ts';
import { walkFolder } from './walk-folder.ts';

/**
 * The pictures in a folder and its subfolders, sorted; reports those whose names cannot be written as a path.
 *
 * @throws SetupError if the folder does not exist.
 */
export async function pictureFilesIn(folder: string): Promise<string[]> {
  const isPicture = (name: string) => resourceOfFile(name) === 'image';
  const { files, unnamable } = await walkFolder(folder, isPicture).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new SetupError(`No such folder: ${folder}`);
  });
  for (const name of unnamable) process.stderr.write(`${join(folder, name)} is left out: its name is not UTF-8.\n`);
  return files.map((place) => join(folder, place));
}

/** The file itself, or the pictures in a folder. @throws SetupError for a folder without pictures. */
export async function pictureFilesOf(path: string): Promise<string[]> {
  // A path that cannot be read is returned, so that the error is reported for that file.
  const found = await stat(path).catch(() => null);
  if (found !== null && !found.isFile() && !found.isDirectory()) {
    throw new SetupError(`${path} is neither a file nor a folder.`);
  }
  if (found?.isDirectory() !== true) return [path];
  const files = await pictureFilesIn(path);
  if (files.length === 0) throw new SetupError(`${path} contains no picture`);
  return files;
}

/** At most `most` elements, evenly spread. */
export function evenly<T>(all: readonly T[], most: number): T[] {
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(all.length, most) }, (_, k) => all[Math.floor(k * step)] as T);
}
