/** How long one piece of work may hold the event loop before others run, in milliseconds. */
export const sliceMs = 10;

/**
 * Divides long synchronous work into slices: ask `isOver` between two steps of it, and wait for
 * `pause` when it is. A step should take well below a millisecond.
 */
export class TimeSlice {
  #end = performance.now() + sliceMs;

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Lets everything run that waits for the event loop, then begins the next slice. */
  async pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#end = performance.now() + sliceMs;
  }
}
