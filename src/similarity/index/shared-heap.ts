import { AppError } from '../../lib/errors.ts';

const pageBytes = 65_536;
/** WebAssembly reads vectors fastest at addresses with this alignment. */
const alignment = 64;

/** Freed memory, from one address up to another. */
type Gap = { start: number; end: number };

/**
 * Memory shared by all threads, allocated in blocks. It grows as needed, up to a fixed budget; freed blocks are
 * reused for blocks of any size.
 */
export class SharedHeap {
  readonly memory: WebAssembly.Memory;
  readonly #maxPages: number;
  /** In the order of their addresses, none next to another. */
  readonly #gaps: Gap[] = [];
  /** Where memory begins that is not in use. The first address stays unused, because zero means none. */
  #end = alignment;

  constructor(budgetBytes: number) {
    this.#maxPages = Math.min(65_536, Math.max(16, Math.ceil(budgetBytes / pageBytes)));
    this.memory = new WebAssembly.Memory({ initial: 1, maximum: this.#maxPages, shared: true });
  }

  /** Bytes up to the end of the last block in use. */
  get usedBytes(): number {
    return this.#end;
  }

  /** Whether this many bytes can still be allocated. */
  hasRoom(bytes: number): boolean {
    const size = roundUp(bytes);
    return this.#gapFor(size) !== undefined || this.#end + size <= this.#maxPages * pageBytes;
  }

  /**
   * Returns the address of this many bytes, which are zero or whatever an earlier owner left there.
   *
   * @throws MemoryUsedUp when the budget is used up.
   */
  allocate(bytes: number): number {
    const size = roundUp(bytes);
    const gap = this.#gapFor(size);
    if (gap !== undefined) return this.#takeFrom(gap, size);
    const needed = Math.ceil((this.#end + size) / pageBytes);
    if (needed > this.#maxPages) throw new MemoryUsedUp();
    const pages = this.memory.buffer.byteLength / pageBytes;
    // Growing by at least an eighth keeps it from growing often.
    if (needed > pages) this.memory.grow(Math.min(this.#maxPages, Math.max(needed, Math.ceil(pages * 1.125))) - pages);
    const address = this.#end;
    this.#end += size;
    return address;
  }

  /** Frees what `allocate` returned for the same number of bytes. */
  free(address: number, bytes: number): void {
    const at = this.#gaps.findLastIndex(({ start }) => start < address) + 1;
    this.#gaps.splice(at, 0, { start: address, end: address + roundUp(bytes) });
    this.#joinNext(at);
    this.#joinNext(at - 1);
    const last = this.#gaps.at(-1);
    if (last?.end !== this.#end) return;
    this.#end = last.start;
    this.#gaps.pop();
  }

  /** Makes a gap and the next one a single one if nothing is between them. */
  #joinNext(at: number): void {
    const [gap, next] = [this.#gaps[at], this.#gaps[at + 1]];
    if (gap === undefined || next?.start !== gap.end) return;
    gap.end = next.end;
    this.#gaps.splice(at + 1, 1);
  }

  /** The first gap with this many bytes. */
  #gapFor(size: number): Gap | undefined {
    return this.#gaps.find(({ start, end }) => end - start >= size);
  }

  #takeFrom(gap: Gap, size: number): number {
    const { start } = gap;
    gap.start += size;
    if (gap.start === gap.end) this.#gaps.splice(this.#gaps.indexOf(gap), 1);
    return start;
  }
}

/** The budget has no room left for an index. */
export class MemoryUsedUp extends AppError {
  constructor() {
    const hint = 'The operator can raise SIMILARITY_MEMORY';
    super('unavailable', 'The memory for similarity search is used up', { hint });
  }
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}
