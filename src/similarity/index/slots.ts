/**
 * The slot of each record's row: a hash table in typed arrays (open addressing, linear probing), because a Map with a
 * million entries takes three times the memory.
 */
export class Slots {
  #keys = new Float64Array(16);
  #slots = new Int32Array(16);
  /** Entries, including the tombstones of removed ones. */
  #filled = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The slot, or -1. Ids are positive integers. */
  get(id: number): number {
    for (let at = this.#start(id); ; at = this.#next(at)) {
      const key = this.#keys[at] as number;
      if (key === id) return this.#slots[at] as number;
      if (key === 0) return -1;
    }
  }

  set(id: number, slot: number): void {
    if (this.get(id) >= 0) this.delete(id);
    if ((this.#filled + 1) * 4 > this.#keys.length * 3) this.#rebuild();
    this.#insert(id, slot);
  }

  /** Removes an id. Its place stays taken until the table is rebuilt, so that probing continues past it. */
  delete(id: number): boolean {
    for (let at = this.#start(id); ; at = this.#next(at)) {
      const key = this.#keys[at] as number;
      if (key === 0) return false;
      if (key !== id) continue;
      this.#keys[at] = tombstone;
      this.#size -= 1;
      return true;
    }
  }

  #insert(id: number, slot: number): void {
    let at = this.#start(id);
    while (this.#keys[at] !== 0) at = this.#next(at);
    this.#keys[at] = id;
    this.#slots[at] = slot;
    this.#filled += 1;
    this.#size += 1;
  }

  #rebuild(): void {
    const [keys, slots] = [this.#keys, this.#slots];
    const length = this.#size * 2 > keys.length ? keys.length * 2 : keys.length;
    [this.#keys, this.#slots] = [new Float64Array(length), new Int32Array(length)];
    [this.#filled, this.#size] = [0, 0];
    for (const [at, key] of keys.entries()) if (key > 0) this.#insert(key, slots[at] as number);
  }

  #start(id: number): number {
    const mixed = Math.imul(id ^ (id / 0x1_0000_0000), 0x9e37_79b1);
    return (mixed ^ (mixed >>> 15)) & (this.#keys.length - 1);
  }

  #next(at: number): number {
    return (at + 1) & (this.#keys.length - 1);
  }
}

const tombstone = -1;
