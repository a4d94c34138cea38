/**
 * Waiting items by owner. Owners take turns, so that an owner with a single item does not wait for all items of
 * another.
 */
export class RoundRobin<Owner, Item> {
  /** In order of turns: the owner that was served longest ago comes first. */
  readonly #lines = new Map<Owner, Item[]>();

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** The owner whose turn is next; undefined if nothing waits. */
  get owner(): Owner | undefined {
    const [owner] = this.#lines.keys();
    return owner;
  }

  /** Adds an item after the others of its owner. */
  add(owner: Owner, item: Item): void {
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, [item]);
    else line.push(item);
  }

  /** Takes the oldest item of the owner whose turn it is, and moves that owner to the end; undefined if nothing waits. */
  take(): Item | undefined {
    const [first] = this.#lines;
    if (first === undefined) return undefined;
    const [owner, line] = first;
    const item = line.shift();
    this.#lines.delete(owner);
    if (line.length > 0) this.#lines.set(owner, line);
    return item;
  }
}
