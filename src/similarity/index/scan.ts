import type { Kernels } from './wasm/kernels.ts';
import { rowsPerBlock } from './block.ts';
import type { Layout } from './block.ts';

/** What rows are compared with. */
export type Query =
  /** Rows whose hash is near one of these (32 bytes each). */
  | Readonly<{ kind: 'hashes'; hashes: Uint8Array; atMost: number; minQuality: number }>
  /**
   * Rows with a region whose hash (64 bits) is near one of those for that region; `counts` says how many each region
   * has.
   */
  | Readonly<{ kind: 'regions'; hashes: Uint8Array; counts: readonly number[]; atMost: number; minQuality: number }>
  /** Rows whose vector has at least this cosine with this one. */
  | Readonly<{ kind: 'vectors'; vector: Int8Array; atLeast: number }>;

export type VectorQuery = Extract<Query, { kind: 'vectors' }>;

export type Scan = Readonly<{
  query: Query;
  layout: Layout;
  /** Addresses of the blocks to scan, and the number of each block's first slot. */
  blocks: Uint32Array;
  firstSlots: Uint32Array;
  /** One bit per slot; rows without it are skipped. Null allows all. */
  allowed: Uint8Array | null;
  /** The first block that no thread has taken yet, if several share the scan. */
  cursor?: Int32Array;
}>;

/**
 * Blocks that a thread takes at a time. Small, because otherwise a thread held up by another program keeps the rest
 * waiting for some milliseconds.
 */
const stretch = 32;

/** Slots of the rows that were found, and their distance or cosine. */
export type ScanHits = Readonly<{ slots: Uint32Array; values: Float64Array }>;

/** Bytes that a scan needs besides the rows: the query, the ends of its regions, and one result per row. */
export const scratch = { query: 0, ends: 32_768, out: 33_792, bytes: 33_792 + rowsPerBlock * 4 } as const;

/** Scans the blocks, one after the other. */
export function runScan(kernels: Kernels, buffer: ArrayBufferLike, at: number, scan: Scan): ScanHits {
  const { query, layout, blocks, firstSlots, allowed, cursor } = scan;
  const run = prepare(kernels, buffer, at, scan);
  const measure = measurer(buffer, at + scratch.out, query, layout);
  const slots: number[] = [];
  const values: number[] = [];
  const scanBlock = (k: number) => {
    const [block, first] = [blocks[k] as number, firstSlots[k] as number];
    if (allowed !== null && !hasAny(allowed, first)) return;
    run(block);
    measure(block, (row, value) => {
      const slot = first + row;
      if (allowed !== null && ((allowed[slot >> 3] as number) & (1 << (slot & 7))) === 0) return;
      slots.push(slot);
      values.push(value);
    });
  };
  if (cursor === undefined) for (const k of blocks.keys()) scanBlock(k);
  else {
    for (let from = take(cursor); from < blocks.length; from = take(cursor)) {
      for (let k = from; k < Math.min(from + stretch, blocks.length); k += 1) scanBlock(k);
    }
  }
  return { slots: Uint32Array.from(slots), values: Float64Array.from(values) };
}

/** The first block of a stretch reserved for this thread. */
function take(cursor: Int32Array): number {
  return Atomics.add(cursor, 0, stretch);
}

/** Reads a kernel's results for a block, and calls back for each matching row. */
type Measure = (block: number, onRow: (row: number, value: number) => void) => void;

function measurer(buffer: ArrayBufferLike, out: number, query: Query, layout: Layout): Measure {
  if (query.kind === 'vectors') {
    const products = new Int32Array(buffer, out, rowsPerBlock);
    const length = lengthOf(query.vector);
    // Multiplication is faster than division; only rows that it does not rule out are divided.
    const least = query.atLeast * length - Math.abs(query.atLeast * length) * 1e-9;
    return (block, onRow) => {
      const norms = new Float32Array(buffer, block + layout.norms, rowsPerBlock);
      for (let row = 0; row < rowsPerBlock; row += 1) {
        const norm = norms[row] as number;
        if ((products[row] as number) < least * norm) continue;
        const cosine = (products[row] as number) / (norm * length);
        if (norm > 0 && cosine >= query.atLeast) onRow(row, cosine);
      }
    };
  }
  const distances = new Uint16Array(buffer, out, rowsPerBlock);
  return (block, onRow) => {
    const qualities = new Uint8Array(buffer, block + layout.quality, rowsPerBlock);
    for (let row = 0; row < rowsPerBlock; row += 1) {
      const distance = distances[row] as number;
      const quality = qualities[row] as number;
      if (distance <= query.atMost && quality >= query.minQuality && quality <= 100) onRow(row, distance);
    }
  };
}

function hasAny(allowed: Uint8Array, first: number): boolean {
  for (let k = first >> 3; k < (first + rowsPerBlock) >> 3; k += 1) if ((allowed[k] ?? 0) !== 0) return true;
  return false;
}

/** Writes the query where kernels can read it, and returns a function that runs the kernel on one block. */
function prepare(
  kernels: Kernels,
  buffer: ArrayBufferLike,
  at: number,
  { query, layout }: Scan,
): (block: number) => void {
  const [place, out] = [at + scratch.query, at + scratch.out];
  switch (query.kind) {
    case 'hashes':
      new Uint8Array(buffer, place, query.hashes.length).set(query.hashes);
      return (block) => kernels.hamming(place, query.hashes.length / 32, block + layout.pdq, rowsPerBlock, out);
    case 'regions': {
      const { hashes, counts } = query;
      new Uint8Array(buffer, place, hashes.length).set(hashes);
      let end = place;
      const ends = counts.map((count) => (end += count * 8));
      new Uint32Array(buffer, at + scratch.ends, ends.length).set(ends);
      return (block) =>
        kernels.regions(place, at + scratch.ends, layout.regionCount, block + layout.regions, rowsPerBlock, out);
    }
    case 'vectors':
      new Int16Array(buffer, place, layout.dimensions).set(query.vector);
      return (block) => kernels.dot(place, layout.dimensions / 16, block + layout.vectors, rowsPerBlock, out);
    default:
      return query satisfies never;
  }
}

/** Exactly the square root of the sum of squares; for long vectors, faster than `Math.hypot`. */
export function lengthOf(vector: Int8Array): number {
  let sum = 0;
  for (let k = 0; k < vector.length; k += 1) sum += (vector[k] as number) ** 2;
  return Math.sqrt(sum);
}
