/** How long one piece of work may hold the event loop before others run, in milliseconds. */
export const sliceMs = 4;

/** Work that waits for its next slice, whoever's it is: first come, first served. */
const waiting: (() => void)[] = [];

/**
 * Divides long synchronous work into slices: ask `isOver` between two steps of it, and wait for
 * `pause` when it is. A step should take well below a millisecond.
 *
 * A turn of the event loop has one slice, however much long work there is: between two slices everything runs that is
 * ready. So a short request waits for a slice or two, and not for one of each long piece of work.
 */
export class TimeSlice {
  // Behind work that waits there is no slice to begin with but a step.
  #end = waiting.length === 0 ? performance.now() + sliceMs : 0;

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Lets everything run that waits for the event loop, and the work that came before; then begins the next slice. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(serveNext);
    });
    this.#end = performance.now() + sliceMs;
  }
}

/** Runs one slice. Another one is due in the next turn: what is asked for here is not done in this one. */
function serveNext(): void {
  const next = waiting.shift();
  if (waiting.length > 0) setImmediate(serveNext);
  next?.();
}
