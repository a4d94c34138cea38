/** What waits, by owner. Owners take turns, so that one with a single item does not wait for all of another's. */
export class Turns<Owner, Item> {
  /** The owner that was served longest ago comes first. */
  readonly #lines = new Map<Owner, Item[]>();

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** Whose turn is next; undefined where nothing waits. */
  get owner(): Owner | undefined {
    const [owner] = this.#lines.keys();
    return owner;
  }

  /** Adds an item behind those of its owner. */
  add(owner: Owner, item: Item): void {
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, [item]);
    else line.push(item);
  }

  /** Takes the oldest item of the owner whose turn it is, who comes last from then on; undefined where nothing waits. */
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
