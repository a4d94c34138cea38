/**
 * Memory in bytes that the neighbor graph takes per image, in addition to the vector: pgvector 0.8 took 670 among three
 * million.
 */
const graphBytes = 800;
const limits = { leastBytes: 64 * 2 ** 20, mostBytes: 2 ** 30 } as const;

type BuildMemory = Readonly<{
  /** What the build may use. */
  bytes: number;
  /** What it needs; with less, it is far slower once the memory is full. */
  needed: number;
}>;

/**
 * Memory for building an index of vectors: what the operator allows with `maintenance_work_mem`, or more if it needs
 * more, up to 1 GiB.
 */
export function buildMemoryFor(
  images: number,
  { dimensions, allowed }: Readonly<{ dimensions: number; allowed: number }>,
): BuildMemory {
  const needed = Math.max(limits.leastBytes, images * (graphBytes + 2 * dimensions));
  return { bytes: Math.max(allowed, Math.min(limits.mostBytes, needed)), needed };
}
