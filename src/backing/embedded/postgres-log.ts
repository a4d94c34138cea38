import { copyFileSync, statSync, truncateSync } from 'node:fs';

/** Size at which the log of PostgreSQL is rotated; one earlier log is kept. */
const mostBytes = 16 * 2 ** 20;

/**
 * Copies a log that has grown too large to a second file, FILE.1, and empties it. PostgreSQL keeps appending to the
 * open file, so the file itself has to stay; a line written at that very moment may be lost. Does nothing if the log
 * is not ours.
 *
 * @param limit in bytes.
 */
export function rotateLog(path: string, limit = mostBytes): void {
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  // A full disk has no room for a copy; the log has to shrink all the same.
  if (size > limit) for (const step of [() => copyFileSync(path, `${path}.1`), () => truncateSync(path)]) attempt(step);
}

function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // The log is there to help people; nothing depends on it.
  }
}
