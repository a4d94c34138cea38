import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import process from 'node:process';

/**
 * Lowers the priority of this process and of its session, because Linux may share the processors among sessions
 * before it compares their processes. Only for a process that was started detached: otherwise its parent would slow
 * down, too.
 *
 * @param niceness 0 (like other processes) to 19 (only idle time)
 */
export function lowerPriority(niceness: number): void {
  if (niceness === 0) return;
  try {
    setPriority(niceness);
  } catch {
    // Not every system allows this; the work is done anyway.
  }
  setSessionPriority(niceness);
}

/**
 * Sets the priority of the session of this process, up or down: unlike the priority of a process, it may be raised again.
 *
 * @returns whether that succeeded: only on Linux with autogroup scheduling, and not twice within 100 ms.
 */
export function setSessionPriority(niceness: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    writeFileSync('/proc/self/autogroup', String(niceness));
    return true;
  } catch {
    return false;
  }
}
