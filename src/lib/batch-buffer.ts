/** What is sent together: at most so many, and none later than so many milliseconds after it came. */
export type BatchBounds = Readonly<{ items: number; ms: number }>;

/** Collects what comes one by one, and sends it in batches, in order. */
export class BatchBuffer<T> {
  readonly #send: (items: readonly T[]) => void;
  readonly #bounds: BatchBounds;
  #items: T[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(bounds: BatchBounds, send: (items: readonly T[]) => void) {
    this.#bounds = bounds;
    this.#send = send;
  }

  /** `isLast` where nothing else is to be expected soon. */
  add(item: T, isLast = false): void {
    this.#items.push(item);
    if (isLast || this.#items.length >= this.#bounds.items) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#bounds.ms);
  }

  /** Nothing more is sent for having waited long enough. */
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
