import { totalmem } from 'node:os';
import process from 'node:process';

/**
 * Memory in bytes that this process may use: that of the machine, or the limit of its container if that is lower.
 *
 * @param limit of the container: 0 or more than the machine has if there is none.
 */
export function availableMemory(limit = process.constrainedMemory(), machine = totalmem()): number {
  return Math.min(machine, limit || Infinity);
}
