import { copyFileSync, statSync, truncateSync } from 'node:fs';

/** Size from which the log of PostgreSQL is rotated; one earlier log is kept. */
const mostBytes = 16 * 2 ** 20;

/**
 * Moves a log that has grown too large to a second file, FILE.1, and empties it. PostgreSQL goes on appending to the open
 * file, so the file itself stays; a line that is written at that moment may be lost. Does nothing if the log is not ours.
 *
 * @param limit in bytes.
 */
export function rotateLog(path: string, limit = mostBytes): void {
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  // With a full disk there is no room for a copy; the log has to shrink all the same.
  if (size > limit) for (const step of [() => copyFileSync(path, `${path}.1`), () => truncateSync(path)]) attempt(step);
}

function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // The log is a help for people; nothing depends on it.
  }
}
