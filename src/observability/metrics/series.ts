/** A counter; prom-client's own classes take 16 to 80 times as long. Callers keep a reference, so that counting is one addition. */
export class Count {
  value = 0;

  add(more = 1): void {
    this.value += more;
  }
}

/** How often what took how long. */
export class Timing {
  sum = 0;
  readonly bounds: readonly number[];
  /** How many were within each bound and beyond the one before; the last is beyond all. */
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

  /** Since a moment of `performance.now()`. */
  observeSince(began: number): void {
    this.observe((performance.now() - began) / 1000);
  }
}
