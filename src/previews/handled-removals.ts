/**
 * For how long ids are remembered one by one. Transactions take ids in order but end in any; later, those with lower ids have
 * ended.
 */
const settledMs = 3_600_000;

/** The rows that a process has worked off: all up to an id, and some above it. */
export class HandledRemovals {
  /** Every row up to this id is worked off. */
  #settled = 0;
  /** When each of the others was worked off, in milliseconds since 1970, in this order. */
  readonly #times = new Map<number, number>();

  get settled(): number {
    return this.#settled;
  }

  /** Those above `settled`. */
  ids(): number[] {
    return [...this.#times.keys()];
  }

  add(id: number): void {
    this.#times.set(id, Date.now());
  }

  /** Forgets the ids that are settled. `pending`: the lowest id that is yet to be worked off. */
  settle(pending: number): void {
    const before = Date.now() - settledMs;
    for (const [id, time] of this.#times) {
      if (time > before) break;
      if (id < pending) this.#settled = Math.max(this.#settled, id);
    }
    for (const id of this.#times.keys()) if (id <= this.#settled) this.#times.delete(id);
  }
}
