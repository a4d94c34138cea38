import { AppError } from '../../lib/errors.ts';

const pageBytes = 65_536;
/** WebAssembly reads vectors fastest at addresses with this alignment. */
const alignment = 64;

/**
 * Memory shared by all threads, allocated in blocks. It grows as needed, up to a fixed budget; freed blocks are
 * reused.
 */
export class SharedHeap {
  readonly memory: WebAssembly.Memory;
  readonly #maxPages: number;
  readonly #free = new Map<number, number[]>();
  /** The first address stays unused, because zero means none. */
  #end = alignment;

  constructor(budgetBytes: number) {
    this.#maxPages = Math.min(65_536, Math.max(16, Math.ceil(budgetBytes / pageBytes)));
    this.memory = new WebAssembly.Memory({ initial: 1, maximum: this.#maxPages, shared: true });
  }

  /** Bytes allocated so far, including freed ones. */
  get usedBytes(): number {
    return this.#end;
  }

  /** Whether this many bytes can still be allocated. */
  hasRoom(bytes: number): boolean {
    const size = roundUp(bytes);
    return (this.#free.get(size)?.length ?? 0) > 0 || this.#end + size <= this.#maxPages * pageBytes;
  }

  /**
   * Returns the address of this many bytes, which are zero or whatever an earlier owner left there.
   *
   * @throws MemoryUsedUp when the budget is used up.
   */
  allocate(bytes: number): number {
    const size = roundUp(bytes);
    const reused = this.#free.get(size)?.pop();
    if (reused !== undefined) return reused;
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
    const size = roundUp(bytes);
    const list = this.#free.get(size);
    if (list === undefined) this.#free.set(size, [address]);
    else list.push(address);
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
