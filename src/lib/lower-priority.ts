import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import process from 'node:process';

/**
 * Lowers the priority of this process, and of its session: Linux may share the processors out among sessions before it
 * considers their processes. Only for a process that was started detached, or its parent would be slowed down too.
 *
 * @param niceness 0 (as others) to 19 (only what others leave)
 */
export function lowerPriority(niceness: number): void {
  if (niceness === 0) return;
  try {
    setPriority(niceness);
  } catch {
    // Not every system allows it; the work is done all the same.
  }
  setSessionPriority(niceness);
}

/**
 * Sets the priority of the session of this process, up or down: unlike that of a process, it may be raised again.
 *
 * @returns whether that was possible: only on Linux, with sessions that share processors, and not twice within 100 ms.
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
