import { queries } from '../../observability/metrics/index.ts';

/** How often it is checked whether requests are being answered, and how long after the last one this still counts. */
const pollMs = 50;
const afterMs = 200;

/**
 * While `isBusy`, reports whether this process answers requests: then background work yields to
 * them. Sampled, because notifying another process of each request would cost more than many requests do.
 */
export class RequestsFirst {
  readonly #isBusy: () => boolean;
  readonly #onChange: (areAnswered: boolean) => void;
  #timer: NodeJS.Timeout | undefined;
  #lastBegun = 0;
  #lastAt = -Infinity;

  constructor(isBusy: () => boolean, onChange: (areAnswered: boolean) => void) {
    this.#isBusy = isBusy;
    this.#onChange = onChange;
  }

  /** There is work that may have to yield. */
  watch(): void {
    if (this.#timer !== undefined) return;
    this.#lastBegun = queries.begun;
    this.#timer = setInterval(() => this.#check(), pollMs).unref();
    this.#check();
  }

  #check(): void {
    const now = performance.now();
    if (queries.running > 0 || queries.begun !== this.#lastBegun) this.#lastAt = now;
    this.#lastBegun = queries.begun;
    this.#onChange(now - this.#lastAt < afterMs);
    if (this.#isBusy()) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
