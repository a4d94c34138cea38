const done = { done: true, value: undefined } as const;

/**
 * A source of values that can be ended at any time, even repeatedly: before the first value is requested, while one
 * is awaited, or after the last. Ending it never throws or rejects, even if the source does; afterwards, it yields no
 * values. Without this guarantee, an unhandled rejection of a source could end the process.
 */
export class EndableSource<T> implements AsyncIterableIterator<T> {
  readonly #source: AsyncIterator<T>;
  /** Pending calls of `next`. */
  readonly #waiting = new Set<() => void>();
  #hasEnded = false;

  constructor(source: AsyncIterator<T>) {
    this.#source = source;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#hasEnded) return Promise.resolve(done);
    return new Promise((resolve, reject) => {
      const end = () => resolve(done);
      this.#waiting.add(end);
      const settle = (answer: () => void) => {
        this.#waiting.delete(end);
        answer();
      };
      this.#source.next().then(
        (result) => settle(() => resolve(result as IteratorResult<T, undefined>)),
        (error: unknown) => settle(() => reject(error)), // Has no effect after the end.
      );
    });
  }

  /** Ends the source; any errors of the source are ignored. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const end of this.#waiting) end();
    this.#waiting.clear();
    try {
      this.#source.return?.().then(undefined, () => {});
    } catch {
      // Ignored, too.
    }
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.end();
    return Promise.resolve(done);
  }
}
