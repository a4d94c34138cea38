/** Limits of a batch: the most items that are sent together, and the longest time in milliseconds that an item waits. */
export type BatchBounds = Readonly<{ items: number; ms: number }>;

/** Collects items as they arrive and sends them in batches, in order. */
export class BatchBuffer<T> {
  readonly #send: (items: readonly T[]) => void;
  readonly #bounds: BatchBounds;
  #items: T[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(bounds: BatchBounds, send: (items: readonly T[]) => void) {
    this.#bounds = bounds;
    this.#send = send;
  }

  /** Set `isLast` if no more items are expected soon; the batch is then sent at once. */
  add(item: T, isLast = false): void {
    this.#items.push(item);
    if (isLast || this.#items.length >= this.#bounds.items) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#bounds.ms);
  }

  /** Stops the timer, so that waiting items are not sent when it would fire. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const items = this.#items;
    this.#items = [];
    this.#send(items);
  }
}
