/** By how many percent the heap of a process may grow beyond what is alive, by what runs networks there. */
const heapGrowth = { onnxRuntime: 210, webAssembly: 150 } as const;

/** What runs the networks of a process. */
export type NetworkBackend = keyof typeof heapGrowth;

/**
 * Flags of Node for a process that analyzes. Most of its numbers are in arrays outside of the heaps, which V8 counts
 * as if they were in them: with its own settings it collects all garbage once or twice for each picture, and with it
 * compiled code that nothing refers to just then, which costs a fifth of all processor time. WebAssembly leaves more
 * garbage, so there the heap grows less. With V8's usual room for young objects each thread would keep 40 MB without
 * being faster. Measured by `npm run bench -- analysis`.
 */
export function analysisFlags(backend: NetworkBackend): string[] {
  return ['--max-semi-space-size=2', `--heap-growing-percent=${heapGrowth[backend]}`];
}
