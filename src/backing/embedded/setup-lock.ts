import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { notWritable } from './data-dir.ts';
import { processIsAlive } from './postgres-leftovers.ts';

/**
 * A lock this old belongs to a process that was killed and whose id another one has by now: setting up takes seconds.
 */
const voidMs = 180_000;

/**
 * The locks of this process. Needed because after a container restarts, a process may have the id of the one that was
 * killed.
 */
const held = new Set<string>();

/**
 * Lets one process at a time set up the database of a DATA_DIR; the others wait, and then find it. Otherwise, each
 * could set up its own.
 *
 * @returns a function that releases the lock.
 * @throws SetupError if the folder cannot be written.
 */
export async function lockSetup(dataDir: string): Promise<() => void> {
  const path = join(dataDir, '.setup');
  while (!take(dataDir, path)) {
    if (isVoid(path)) rmSync(path, { force: true });
    else await sleep(100);
  }
  held.add(path);
  return () => {
    held.delete(path);
    rmSync(path, { force: true });
  };
}

function take(dataDir: string, path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw notWritable(dataDir, error);
  }
}

function isVoid(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false; // It was just given back.
  if (Date.now() - found.mtimeMs > voidMs) return true;
  const pid = ownerOf(path);
  if (pid === process.pid) return !held.has(path);
  return pid !== null && !processIsAlive(pid);
}

/** The process that holds a lock; null if it has not written its id yet, or has released the lock. */
function ownerOf(path: string): number | null {
  try {
    return Number(readFileSync(path, 'utf8')) || null;
  } catch {
    return null;
  }
}
