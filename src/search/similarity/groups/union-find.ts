/** Sets of places that only ever grow together. */
export class UnionFind {
  readonly #parents: Int32Array;
  readonly #sizes: Int32Array;

  constructor(count: number) {
    this.#parents = Int32Array.from({ length: count }, (_, place) => place);
    this.#sizes = new Int32Array(count).fill(1);
  }

  /** The place that stands for the set of another. */
  find(place: number): number {
    const parents = this.#parents;
    let root = place;
    while (parents[root] !== root) root = parents[root] as number;
    for (let each = place; each !== root;) {
      const next = parents[each] as number;
      parents[each] = root;
      each = next;
    }
    return root;
  }

  /** How many are in the set that a root stands for. */
  sizeOf(root: number): number {
    return this.#sizes[root] as number;
  }

  /** Makes one set of two; the root of the set that was given up, or -1 where they were one already. */
  join(a: number, b: number): number {
    const [one, two] = [this.find(a), this.find(b)];
    if (one === two) return -1;
    const [kept, given] = this.sizeOf(one) >= this.sizeOf(two) ? [one, two] : [two, one];
    this.#parents[given] = kept;
    this.#sizes[kept] = this.sizeOf(kept) + this.sizeOf(given);
    return given;
  }
}
