import type { Answers } from '../../lib/answers.ts';

/**
 * Milliseconds between checks for requests (`pollMs`), and how long requests count after they were seen (`afterMs`).
 */
const pollMs = 50;
/**
 * Quick requests count only if there are this many between two checks: 60 a second. A client that occasionally polls
 * for progress needs no processor.
 */
const quickOnes = 3;
const afterMs = 200;

/**
 * While `isBusy`, reports whether this process is answering requests: then background work yields to them. Sampled, because
 * notifying another process of each request would cost more than many requests do.
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

  /** Starts checking: some work may have to yield. */
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
