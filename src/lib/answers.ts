/**
 * Counts what a process is answering now and has started to answer so far: queries, and pictures that a client waits
 * for. Less urgent work leaves the processors to them.
 */
export class Answers {
  #running = 0;
  #begun = 0;

  /** Number of answers in progress. */
  get running(): number {
    return this.#running;
  }

  /** Number of answers started so far. */
  get begun(): number {
    return this.#begun;
  }

  /** Marks the start of an answer, which is in progress until `end` is called. */
  begin(): void {
    this.#running += 1;
    this.#begun += 1;
  }

  end(): void {
    this.#running -= 1;
  }
}
