/**
 * What a process is answering now, and how much it has begun to answer: queries, and pictures that somebody waits for.
 * What can wait leaves the processors to them.
 */
export class Answers {
  #running = 0;
  #begun = 0;

  /** How many are under way. */
  get running(): number {
    return this.#running;
  }

  /** How many were begun. */
  get begun(): number {
    return this.#begun;
  }

  /** Something is answered from now on, until `end`. */
  begin(): void {
    this.#running += 1;
    this.#begun += 1;
  }

  end(): void {
    this.#running -= 1;
  }
}
