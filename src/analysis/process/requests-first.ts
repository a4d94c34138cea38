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
  readonly #tell: (areAnswered: boolean) => void;
  #timer: NodeJS.Timeout | undefined;
  #begun = 0;
  #lastAt = -Infinity;

  constructor(isBusy: () => boolean, tell: (areAnswered: boolean) => void) {
    this.#isBusy = isBusy;
    this.#tell = tell;
  }

  /** There is work that may have to yield. */
  watch(): void {
    if (this.#timer !== undefined) return;
    this.#begun = queries.begun;
    this.#timer = setInterval(() => this.#look(), pollMs).unref();
    this.#look();
  }

  #look(): void {
    const now = performance.now();
    if (queries.running > 0 || queries.begun !== this.#begun) this.#lastAt = now;
    this.#begun = queries.begun;
    this.#tell(now - this.#lastAt < afterMs);
    if (this.#isBusy()) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
