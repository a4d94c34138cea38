import { tenantsOfProcess } from './active-tenants.ts';

/** How long one piece of work may hold the event loop before others run, in milliseconds. */
export const sliceMs = 2;

/**
 * Pause between two slices while several tenants are served: long work has two fifths of the event loop, and
 * leaves half of a processor to other work that is waited for, in the database and the analysis processes.
 */
export const restMs = 3;

/** Waiting work of one tenant; tenant 0 is work of no tenant. */
type Line = (() => void)[];

/** By tenant; the one that was served longest ago comes first. */
const lines = new Map<number, Line>();

/** When the last slice began. */
let lastAt = -Infinity;

/**
 * Divides long synchronous work into slices: ask `isOver` between two steps of it, and wait for
 * `pause` when it is. A step should take well below a millisecond.
 *
 * An iteration of the event loop runs one slice, even with much long work: everything that is ready runs between two
 * slices. So a short request waits for a slice or two, not for one of each long task. Tenants take turns.
 */
export class TimeSlice {
  #end: number;
  readonly #tenantId: number;

  constructor(tenantId = 0) {
    this.#tenantId = tenantId;
    // While other work waits, and during a pause, it starts with one step instead of a slice.
    const isFree = lines.size === 0 && restLeft() <= 0;
    if (isFree) lastAt = performance.now();
    this.#end = isFree ? lastAt + sliceMs : 0;
  }

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Yields to the event loop and to waiting work; then begins the next slice. */
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

/** Runs one slice. The next one runs in the next iteration of the event loop at the earliest. */
function serveNext(): void {
  const [first] = lines;
  if (first === undefined) return;
  const [tenantId, line] = first;
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
  return tenantsOfProcess.isShared ? lastAt + sliceMs + restMs - performance.now() : 0;
}
