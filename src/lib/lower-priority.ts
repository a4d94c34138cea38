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
    if (process.platform === 'linux') writeFileSync('/proc/self/autogroup', String(niceness));
  } catch {
    // Not every system allows it; the work is done all the same.
  }
}
