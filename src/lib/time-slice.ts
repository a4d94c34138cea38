import { setTimeout as sleep } from 'node:timers/promises';
import { tenantsOfProcess } from './active-tenants.ts';
import { RoundRobin } from './round-robin.ts';

/** Maximum time that one piece of work may hold the event loop before other work runs, in milliseconds. */
export const sliceMs = 1;

/**
 * Pause between two slices while several tenants are served, in milliseconds: long work gets a third of the event loop, and
 * leaves processors to urgent work in the database and the analysis processes.
 */
export const restMs = 2;

/** Pause between two slices of a tenant after a recent request of another one, in ms: long work gets a tenth of the loop. */
export const longRestMs = 9;

/**
 * How long after a request the work of other tenants rests longer, in milliseconds. Not just until the request is
 * answered: what was started in the database before it arrived would still be running (`npm run attack -- --siege
 * "row 7"`: with 20 ms, its reads take twice as long as with 250).
 */
export const recentMs = 250;

/** A rest after a transaction lasts this multiple of its duration, if another tenant has sent a request recently. */
const restFactor = 1.5;

/** Longest rest after a transaction, in milliseconds. */
const maxRestMs = 500;

/** Waiting work by tenant; tenant 0 is used for work without a tenant. */
const waiting = new RoundRobin<number, () => void>();

/** When the last slice started. */
let lastAt = -Infinity;

/**
 * Divides long synchronous work into slices: check `isOver` between two steps, and await `pause` when it is true. A step
 * should take well below a millisecond.
 *
 * An iteration of the event loop runs one slice, however much long work there is, and everything else that is ready runs
 * between two slices. So a short request waits for a slice or two, not for one of each long task. Tenants take turns.
 */
export class TimeSlice {
  #end: number;
  readonly #tenantId: number;

  constructor(tenantId = 0) {
    this.#tenantId = tenantId;
    // While other work waits, and during a pause, a new slice gets one step instead of its full time.
    const isFree = waiting.isEmpty && restLeft(tenantId) <= 0;
    if (isFree) lastAt = performance.now();
    this.#end = isFree ? lastAt + sliceMs : 0;
  }

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Yields to the event loop and to waiting work, then starts the next slice. */
  async pause(): Promise<void> {
    await nextSlice(this.#tenantId);
    this.#end = performance.now() + sliceMs;
  }
}

/**
 * Waits for a slice, for work of a few milliseconds that cannot be divided. Does not wait if nothing else has run for
 * a while.
 */
export function nextSlice(tenantId = 0): Promise<void> {
  return new Promise<void>((resolve) => {
    const isCalled = !waiting.isEmpty;
    waiting.add(tenantId, resolve);
    if (!isCalled) callNext();
  });
}

/** Runs one slice. The next one runs in the next iteration of the event loop at the earliest. */
function serveNext(): void {
  const next = waiting.take();
  if (next === undefined) return;
  lastAt = performance.now();
  if (!waiting.isEmpty) callNext();
  next();
}

function callNext(): void {
  const left = restLeft(waiting.owner ?? 0);
  if (left > 0) setTimeout(serveNext, left);
  else setImmediate(serveNext);
}

/** Milliseconds until the next slice may start. */
function restLeft(tenantId: number): number {
  if (!tenantsOfProcess.isShared) return 0;
  const rest = areOthersWaiting(tenantId) ? longRestMs : restMs;
  return lastAt + sliceMs + rest - performance.now();
}

function areOthersWaiting(tenantId: number): boolean {
  return tenantsOfProcess.sinceOthersThan(tenantId) < recentMs;
}

/**
 * Waits after one of many transactions of a tenant, which took `tookMs`, so that the database has time for other tenants.
 */
export async function restAfter(tookMs: number, tenantId: number): Promise<void> {
  if (areOthersWaiting(tenantId)) await sleep(Math.min(maxRestMs, restFactor * tookMs));
}
