import { instantiate } from '../../../lib/instantiate.ts';

/**
 * The inner loops of similarity search. Each processes `count` adjacent rows and writes one number per row to `out`.
 * They are written in `kernels.wat`, which the build compiles.
 */
export type Kernels = Readonly<{
  /** out (u16): the smallest Hamming distance of the row (32 bytes) to any of the query hashes. */
  hamming: (queries: number, queryCount: number, rows: number, count: number, out: number) => void;
  /**
   * Compares each of `countA` hashes (32 bytes) with each of `countB` others. out: 4 + 8 × the number of pairs that
   * differ in at most `atMost` bits (u32), then those pairs, as numbers of rows in `a` and in `b` (u32 each).
   */
  pairs: (a: number, countA: number, b: number, countB: number, atMost: number, out: number) => void;
  /**
   * Rows are `regionCount` hashes of 64 bits. `ends` holds, for each region, the address (u32) where its query hashes
   * end; those of the first region start at `queries`, and every region has at least one. out (u16): the smallest
   * distance of any region's hash to any of its query hashes.
   */
  regions: (queries: number, ends: number, regionCount: number, rows: number, count: number, out: number) => void;
  /** out (i32): dot product of the query (i16) and the row (i8); both have `chunks` × 16 dimensions. */
  dot: (query: number, chunks: number, rows: number, count: number, out: number) => void;
}>;

/** The kernels over a shared memory. */
export function loadKernels(memory: WebAssembly.Memory): Kernels {
  return instantiate(new URL('kernels.wasm', import.meta.url), memory) as Kernels;
}
