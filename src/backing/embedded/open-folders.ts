import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Others may pass through, but list nothing. */
const passable = 0o711;

/**
 * Creates a folder, with those above it that are missing: one by one, because Node tries without end where the system lets
 * nobody create any, as in /proc. Returns the new ones.
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

/**
 * Creates a folder, with those above it that are missing, so that other accounts may pass through, whatever the umask. Those
 * that exist stay as they are.
 */
export function makeOpenFolder(folder: string): void {
  for (const made of makeFolder(folder)) chmodSync(made, passable);
}

/** Lets other accounts pass through a folder that exists. */
export function letOthersPass(folder: string): void {
  chmodSync(folder, statSync(folder).mode | 0o011);
}

/** Lets other accounts read a folder of programs and run them, whatever the umask that it was copied with. */
export function letOthersRun(folder: string): void {
  const { mode } = lstatSync(folder);
  chmodSync(folder, mode | 0o055);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) letOthersRun(path);
    else if (entry.isFile()) chmodSync(path, readable(lstatSync(path).mode));
  }
}

/** The mode of a file that others may read, and run if its owner may. */
function readable(mode: number): number {
  return mode | ((mode & 0o500) >> 3) | ((mode & 0o500) >> 6);
}
