import type { Answers } from '../../lib/answers.ts';

/** How often it is checked whether requests are being answered, and how long after them this still counts. */
const pollMs = 50;
/** So many quick ones between two checks count: 60 a second. A client that asks for progress now and then needs no processor. */
const quickOnes = 3;
const afterMs = 200;

/**
 * While `isBusy`, reports whether this process answers requests: then background work yields to
 * them. Sampled, because notifying another process of each request would cost more than many requests do.
 */
export class RequestsFirst {
  readonly #isBusy: () => boolean;
  readonly #onChange: (areAnswered: boolean) => void;
  readonly #answers: Answers;
  #timer: NodeJS.Timeout | undefined;
  #lastBegun = 0;
  #lastAt = -Infinity;

  constructor(answers: Answers, isBusy: () => boolean, onChange: (areAnswered: boolean) => void) {
    this.#answers = answers;
    this.#isBusy = isBusy;
    this.#onChange = onChange;
  }

  /** There is work that may have to yield. */
  watch(): void {
    if (this.#timer !== undefined) return;
    this.#lastBegun = this.#answers.begun;
    this.#timer = setInterval(() => this.#check(), pollMs).unref();
    this.#check();
  }

  #check(): void {
    const now = performance.now();
    const { running, begun } = this.#answers;
    if (running > 0 || begun - this.#lastBegun >= quickOnes) this.#lastAt = now;
    this.#lastBegun = begun;
    this.#onChange(now - this.#lastAt < afterMs);
    if (this.#isBusy()) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
