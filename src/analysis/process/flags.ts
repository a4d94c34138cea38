import { heapFlags } from '../../lib/heap-flags.ts';

/** Percentage by which the heap of a process may grow beyond its live objects, by the backend of its networks. */
const heapGrowth = { onnxRuntime: 210, webAssembly: 150 } as const;

/** The backend that runs a process's networks. */
type NetworkBackend = keyof typeof heapGrowth;

/** @param onnxRuntime the library of ONNX Runtime; null if WebAssembly runs the networks. */
export function backendOf(onnxRuntime: string | null): NetworkBackend {
  return onnxRuntime === null ? 'webAssembly' : 'onnxRuntime';
}

/**
 * Node flags for an analysis process. Most of its data is in arrays outside of the heap, which V8 counts as if it were in
 * the heap: with its default settings it collects all garbage once or twice per picture, and with it compiled code that is
 * not referenced at that moment, which costs a fifth of all processor time. WebAssembly leaves more garbage, so the heap
 * grows less there. With V8's default size for young objects, each thread would keep 40 MB without being faster. Measured
 * with `npm run bench -- analysis`.
 */
export function analysisFlags(backend: NetworkBackend): string[] {
  return heapFlags({ youngMiB: 4, growth: heapGrowth[backend] });
}
