import { availableMemory } from '../../lib/available-memory.ts';

const mebibyte = 2 ** 20;

/** In MiB. */
const limits = { least: 128, most: 1024 } as const;

/**
 * `shared_buffers` of the embedded PostgreSQL, in MiB: a sixteenth of the memory, within limits. PostgreSQL takes
 * these pages only as it reads, so a small catalog needs no more memory. With 1 GiB in place of 128 MiB, `i==` among
 * ten million hashes takes two thirds of the time.
 *
 * @param memoryBytes of this machine, or of its container.
 */
export function sharedBuffers(memoryBytes = availableMemory()): number {
  const share = Math.floor(memoryBytes / 16 / mebibyte);
  return Math.min(Math.max(share, limits.least), limits.most);
}
