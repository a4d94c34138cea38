import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder, with those above it that are missing: one by one, because Node tries without end where the system lets
 * nobody create any, as in /proc. Returns the new ones, the topmost first.
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
