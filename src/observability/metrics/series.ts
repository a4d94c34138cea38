/**
 * A counter; prom-client's classes take 16 to 80 times as long. Callers keep a reference, so that counting is one addition.
 */
export class Count {
  value = 0;

  add(more = 1): void {
    this.value += more;
  }
}

/** A histogram of durations. */
export class Timing {
  sum = 0;
  readonly bounds: readonly number[];
  /** Numbers of values within each bound and above the previous one; the last is for values above all bounds. */
  readonly counts: number[];

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(seconds: number): void {
    let index = 0;
    while (index < this.bounds.length && seconds > (this.bounds[index] as number)) index += 1;
    this.counts[index] = (this.counts[index] as number) + 1;
    this.sum += seconds;
  }

  /** Observes the time since a moment of `performance.now()`. */
  observeSince(began: number): void {
    this.observe((performance.now() - began) / 1000);
  }
}
