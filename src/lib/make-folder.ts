import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents one by one, because Node's `recursive` option retries forever where nobody
 * can create folders, as in /proc. Returns the new folders, topmost first.
 */
export function makeFolder(folder: string, mode?: number): string[] {
  const isFolder = () => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder()) return [];
  const above = dirname(resolve(folder));
  const made = existsSync(above) ? [] : makeFolder(above, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && isFolder()) return made; // Made by another process.
    throw error;
  }
  return [...made, folder];
}
