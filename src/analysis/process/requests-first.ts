import { queries } from '../../observability/metrics/index.ts';

/** How often it is looked whether requests are answered, and for how long after the last one they count. */
const pollMs = 50;
const afterMs = 200;

/**
 * Tells, for as long as `isBusy`, whether this process answers requests: then what runs in the background gives way to
 * them. Sampled, because telling another process of each request would cost more than many requests do.
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

  /** There is something that may have to give way. */
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
