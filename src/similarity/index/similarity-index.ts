import { layoutOf, noHashes, pdqBytes, rowsPerBlock } from './block.ts';
import type { Layout } from './block.ts';
import { lengthOf } from './scan.ts';
import type { ScanHits, Query, Scan, VectorQuery } from './scan.ts';
import type { ScanPool } from './scan-pool.ts';
import type { SharedHeap } from './shared-heap.ts';
import { Slots } from './slots.ts';

/** The data that one record is compared by. */
export type IndexedFingerprint = Readonly<{
  /** Row id of the record: a positive integer. */
  id: number;
  hashes: Readonly<{ pdq: Uint8Array; regions: Uint8Array; quality: number }> | null;
  /** A vector of zeros counts as none. */
  vector: Int8Array | null;
}>;

/** A record that was found, and its distance (bits) or cosine. */
export type Hit = Readonly<{ id: number; value: number }>;

/** A filter that leaves less than one record in this many is applied before the scan, any other after it. */
const fewShare = 50;

/**
 * All fingerprints of one tenant, in memory. Searches are exact: they compare every row. Only one thread writes; rows
 * that it changes during a scan are compared again at the end, so that an answer is correct as of the moment it is
 * given.
 */
export class SimilarityIndex {
  readonly layout: Layout;
  readonly #heap: SharedHeap;
  readonly #pool: ScanPool;
  readonly #blocks: number[] = [];
  #slots = new Slots();
  /** The record in each slot, 0 where there is none. */
  #ids = new Float64Array(rowsPerBlock);
  readonly #free: number[] = [];
  #end = 0;
  /** For each running scan, the slots that were written since it began. */
  readonly #scans = new Set<Set<number>>();

  constructor(heap: SharedHeap, pool: ScanPool, regionCount: number, dimensions: number) {
    this.#heap = heap;
    this.#pool = pool;
    this.layout = layoutOf(regionCount, dimensions);
  }

  get size(): number {
    return this.#slots.size;
  }

  has(id: number): boolean {
    return this.#slots.get(id) >= 0;
  }

  /** All records are in memory. */
  async load(): Promise<void> {}

  /** Adds a record's fingerprint, or replaces it. */
  put({ id, hashes, vector }: IndexedFingerprint): void {
    const known = this.#slots.get(id);
    const slot = known >= 0 ? known : this.#takeSlot(id);
    const { block, row } = this.#place(slot);
    const { layout } = this;
    const bytes = new Uint8Array(this.#heap.memory.buffer);
    bytes[block + layout.quality + row] = hashes?.quality ?? noHashes;
    this.#setNorm(block, row, vector === null ? 0 : lengthOf(vector));
    if (hashes !== null) {
      bytes.set(hashes.pdq, block + layout.pdq + row * pdqBytes);
      bytes.set(hashes.regions, block + layout.regions + row * layout.regionCount * 8);
    }
    if (vector !== null) {
      if (vector.length !== layout.dimensions) throw new RangeError(`a vector has ${layout.dimensions} dimensions`);
      new Int8Array(this.#heap.memory.buffer).set(vector, block + layout.vectors + row * layout.dimensions);
    }
    this.#noteWrite(slot);
  }

  /** Removes a record. */
  remove(id: number): void {
    const slot = this.#slots.get(id);
    if (slot < 0) return;
    this.#slots.delete(id);
    this.#ids[slot] = 0;
    this.#free.push(slot);
    const { block, row } = this.#place(slot);
    const bytes = new Uint8Array(this.#heap.memory.buffer);
    bytes[block + this.layout.quality + row] = noHashes;
    this.#setNorm(block, row, 0);
    this.#noteWrite(slot);
  }

  /** A copy of a record's hashes and vector. */
  get(id: number): IndexedFingerprint | null {
    const slot = this.#slots.get(id);
    if (slot < 0) return null;
    const { block, row } = this.#place(slot);
    const { layout } = this;
    const bytes = new Uint8Array(this.#heap.memory.buffer);
    const column = (start: number, width: number) =>
      bytes.slice(block + start + row * width, block + start + (row + 1) * width);
    const quality = bytes[block + layout.quality + row] as number;
    const [norm = 0] = new Float32Array(this.#heap.memory.buffer, block + layout.norms + row * 4, 1);
    return {
      id,
      hashes:
        quality === noHashes
          ? null
          : { pdq: column(layout.pdq, pdqBytes), regions: column(layout.regions, layout.regionCount * 8), quality },
      vector: norm > 0 ? new Int8Array(column(layout.vectors, layout.dimensions).buffer) : null,
    };
  }

  /** Finds all rows that match a query, in no particular order; `allowed` restricts it to some records. */
  async find(query: Query, allowed: ReadonlySet<number> | null = null): Promise<Hit[]> {
    // Few records: only their blocks are read. Many: sending the list to the threads costs more than it saves.
    const isFew = allowed !== null && allowed.size < this.size / fewShare;
    const hits = await this.#findAmong(query, isFew ? allowed : null);
    return allowed === null || isFew ? hits : hits.filter(({ id }) => allowed.has(id));
  }

  /** In memory, finding all is as fast as finding only the nearest. */
  findAlike(query: VectorQuery): Promise<Hit[]> {
    return this.find(query);
  }

  async #findAmong(query: Query, allowed: ReadonlySet<number> | null): Promise<Hit[]> {
    const scan = this.#scanOf(query, allowed);
    const written = new Set<number>();
    this.#scans.add(written);
    try {
      const found = await this.#pool.scan(scan);
      // Cleared in the meantime: its blocks may hold another tenant's rows by now.
      return this.#scans.has(written) ? this.#settle(scan, found, written) : [];
    } finally {
      this.#scans.delete(written);
    }
  }

  /** Releases all memory. */
  clear(): void {
    for (const block of this.#blocks.splice(0)) this.#heap.free(block, this.layout.blockBytes);
    this.#slots = new Slots();
    this.#ids = new Float64Array(rowsPerBlock);
    this.#free.length = 0;
    this.#end = 0;
    this.#scans.clear();
  }

  #scanOf(query: Query, allowed: ReadonlySet<number> | null): Scan {
    return {
      query,
      layout: this.layout,
      blocks: Uint32Array.from(this.#blocks),
      firstSlots: Uint32Array.from(this.#blocks, (_, k) => k * rowsPerBlock),
      allowed: allowed === null ? null : this.#bitsOf(allowed),
    };
  }

  #bitsOf(ids: ReadonlySet<number>): Uint8Array {
    const bits = new Uint8Array((this.#blocks.length * rowsPerBlock) / 8);
    for (const id of ids) {
      const slot = this.#slots.get(id);
      if (slot >= 0) bits[slot >> 3] = (bits[slot >> 3] as number) | (1 << (slot & 7));
    }
    return bits;
  }

  /** Replaces the results for rows written in the meantime: scans their blocks once more, in this thread. */
  #settle(scan: Scan, { slots, values }: ScanHits, written: ReadonlySet<number>): Hit[] {
    const hits: Hit[] = [];
    const take = (slot: number, value: number) => {
      const id = this.#ids[slot] as number;
      if (id !== 0) hits.push({ id, value });
    };
    for (const [k, slot] of slots.entries()) if (!written.has(slot)) take(slot, values[k] as number);
    if (written.size === 0) return hits;
    const blocks = [...new Set([...written].map((slot) => Math.floor(slot / rowsPerBlock)))];
    const again = this.#pool.scanInline({
      ...scan,
      blocks: Uint32Array.from(blocks, (block) => this.#blocks[block] as number),
      firstSlots: Uint32Array.from(blocks, (block) => block * rowsPerBlock),
    });
    for (const [k, slot] of again.slots.entries()) if (written.has(slot)) take(slot, again.values[k] as number);
    return hits;
  }

  #noteWrite(slot: number): void {
    for (const written of this.#scans) written.add(slot);
  }

  #takeSlot(id: number): number {
    const slot = this.#free.pop() ?? this.#newSlot();
    this.#ids[slot] = id;
    this.#slots.set(id, slot);
    return slot;
  }

  #newSlot(): number {
    if (this.#end === this.#blocks.length * rowsPerBlock) this.#addBlock();
    const slot = this.#end;
    this.#end += 1;
    return slot;
  }

  #addBlock(): void {
    const { layout } = this;
    const block = this.#heap.allocate(layout.blockBytes);
    const bytes = new Uint8Array(this.#heap.memory.buffer);
    bytes.fill(noHashes, block + layout.quality, block + layout.quality + rowsPerBlock);
    bytes.fill(0, block + layout.norms, block + layout.norms + rowsPerBlock * 4);
    this.#blocks.push(block);
    if (this.#blocks.length * rowsPerBlock <= this.#ids.length) return;
    const larger = new Float64Array(this.#ids.length * 2);
    larger.set(this.#ids);
    this.#ids = larger;
  }

  #setNorm(block: number, row: number, norm: number): void {
    new Float32Array(this.#heap.memory.buffer, block + this.layout.norms + row * 4, 1)[0] = norm;
  }

  #place(slot: number): Readonly<{ block: number; row: number }> {
    return { block: this.#blocks[Math.floor(slot / rowsPerBlock)] as number, row: slot % rowsPerBlock };
  }
}
