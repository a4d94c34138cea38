import { activeTenants } from '../observability/metrics/index.ts';

/** How long one piece of work may hold the event loop before others run, in milliseconds. */
export const sliceMs = 4;

/**
 * How long there is none between two slices while several tenants are served: long work has half of the event loop, and
 * leaves half of a processor to what is waited for elsewhere, in the database and where pictures are looked at.
 */
export const restMs = 4;

/** Work of one tenant that waits for its next slices; 0 stands for work of which that is not said. */
type Line = (() => void)[];

/** By tenant; the one that was served longest ago comes first. */
const lines = new Map<number, Line>();

/** When the last slice began. */
let lastAt = -Infinity;

/**
 * Divides long synchronous work into slices: ask `isOver` between two steps of it, and wait for
 * `pause` when it is. A step should take well below a millisecond.
 *
 * A turn of the event loop has one slice, however much long work there is: between two slices everything runs that is
 * ready. So a short request waits for a slice or two, and not for one of each long piece of work. Tenants take turns.
 */
export class TimeSlice {
  #end: number;
  readonly #tenantId: number;

  constructor(tenantId = 0) {
    this.#tenantId = tenantId;
    // Behind work that waits, and in a rest, there is no slice to begin with but a step.
    const isFree = lines.size === 0 && restLeft() <= 0;
    if (isFree) lastAt = performance.now();
    this.#end = isFree ? lastAt + sliceMs : 0;
  }

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Lets everything run that waits for the event loop, and the work whose turn it is; then begins the next slice. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const line = lines.get(this.#tenantId);
      if (line !== undefined) return void line.push(resolve);
      lines.set(this.#tenantId, [resolve]);
      if (lines.size === 1) callNext();
    });
    this.#end = performance.now() + sliceMs;
  }
}

/** Runs one slice. Another one is due in the next turn at the earliest: what is asked for here is not done in this one. */
function serveNext(): void {
  const [lease] = lines;
  if (lease === undefined) return;
  const [tenantId, line] = lease;
  const next = line.shift();
  lines.delete(tenantId);
  if (line.length > 0) lines.set(tenantId, line);
  lastAt = performance.now();
  if (lines.size > 0) callNext();
  next?.();
}

function callNext(): void {
  const left = restLeft();
  if (left > 0) setTimeout(serveNext, left);
  else setImmediate(serveNext);
}

/** Milliseconds until the next slice may begin. */
function restLeft(): number {
  return activeTenants.isShared ? lastAt + sliceMs + restMs - performance.now() : 0;
}
