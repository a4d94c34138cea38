import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../lib/make-folder.ts';

/** Others may pass through, but not list it. */
const passable = 0o711;

/**
 * Creates a folder, and those above it that are missing, so that other accounts may pass through, whatever the umask.
 * Existing folders stay as they are.
 */
export function makeOpenFolder(folder: string): void {
  for (const made of makeFolder(folder)) chmodSync(made, passable);
}

/** Lets other accounts pass through an existing folder. */
export function letOthersPass(folder: string): void {
  chmodSync(folder, statSync(folder).mode | 0o011);
}

/** Lets other accounts read a folder of programs and run them, whatever umask it was copied with. */
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
