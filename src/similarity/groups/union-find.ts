/** Disjoint sets of places. */
export class UnionFind {
  readonly #parents: Int32Array;
  readonly #sizes: Int32Array;

  constructor(count: number) {
    this.#parents = Int32Array.from({ length: count }, (_, place) => place);
    this.#sizes = new Int32Array(count).fill(1);
  }

  /** The root of a place's set. */
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

  /** The size of the set of a root. */
  sizeOf(root: number): number {
    return this.#sizes[root] as number;
  }

  /** Merges two sets; returns the root that was given up, or -1 if they were already one. */
  join(a: number, b: number): number {
    const [one, two] = [this.find(a), this.find(b)];
    if (one === two) return -1;
    const [kept, given] = this.sizeOf(one) >= this.sizeOf(two) ? [one, two] : [two, one];
    this.#parents[given] = kept;
    this.#sizes[kept] = this.sizeOf(kept) + this.sizeOf(given);
    return given;
  }
}
