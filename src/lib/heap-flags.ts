import process from 'node:process';

/**
 * The newest Node whose V8 is known to support the internal flag below. An unknown flag keeps a process from
 * starting; without this one, garbage is merely collected at other times.
 */
const newestNode = 26;

type HeapLimits = Readonly<{
  /** Room for young objects, in MiB. */
  youngMiB: number;
  /** By how many percent the heap may grow beyond its live objects between two full collections. */
  growth: number;
}>;

/** Node flags that set how often a process collects garbage. */
export function heapFlags({ youngMiB, growth }: HeapLimits, node = process.versions.node): string[] {
  const flags = [`--max-semi-space-size=${youngMiB}`];
  if (Number.parseInt(node, 10) <= newestNode) flags.push(`--heap-growing-percent=${growth}`);
  return flags;
}
