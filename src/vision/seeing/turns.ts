/** Lets so many work at the same time; of those that wait the urgent ones go first. */
export class Turns {
  readonly #count: number;
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #running = 0;

  constructor(count: number) {
    this.#count = count;
  }

  /** How many work now. */
  get running(): number {
    return this.#running;
  }

  async run<T>(work: () => Promise<T>, isUrgent: boolean): Promise<T> {
    // Whoever ends hands its place over, so nobody slips in between.
    if (this.#running < this.#count) this.#running += 1;
    else await new Promise<void>((resolve) => (isUrgent ? this.#urgent : this.#others).push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#others.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Those that wait never begin. */
  clear(): void {
    this.#urgent.length = 0;
    this.#others.length = 0;
  }
}
