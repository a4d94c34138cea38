/**
 * How long ids are remembered individually. Transactions take ids in order but commit in any order; after this time,
 * all transactions with lower ids have ended.
 */
const settledMs = 3_600_000;

/** The rows that a process has handled: all up to a certain id, and some above it. */
export class HandledRemovals {
  /** Every row up to this id has been handled. */
  #settled = 0;
  /** When each row above `#settled` was handled, in milliseconds since 1970, in chronological order. */
  readonly #times = new Map<number, number>();

  get settled(): number {
    return this.#settled;
  }

  /** The handled rows above `settled`. */
  ids(): number[] {
    return [...this.#times.keys()];
  }

  add(id: number): void {
    this.#times.set(id, Date.now());
  }

  /**
   * Drops ids that no longer need to be remembered individually. @param pending the lowest id that has not been
   * handled
   */
  settle(pending: number): void {
    const before = Date.now() - settledMs;
    for (const [id, time] of this.#times) {
      if (time > before) break;
      if (id < pending) this.#settled = Math.max(this.#settled, id);
    }
    for (const id of this.#times.keys()) if (id <= this.#settled) this.#times.delete(id);
  }
}
