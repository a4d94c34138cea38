import { timing } from './registry.ts';

/** What the event loop works for: a request, by template of its path, or a kind of background work. */
export type Work = Readonly<{ route: string }>;

/** How often it is looked whether the loop is late. Of two looks, idle time is never longer. */
const everyMs = 20;
/** A shorter delay is none that anybody notices. */
const blockMs = 50;
/** A longer one is told. */
const longBlockMs = 200;

/** Where nobody said whom it was for: collections of garbage, drivers, a machine with other work. */
const other: Work = { route: 'other' };
/** Where no single piece of work was as long as half of it. */
const several: Work = { route: 'several' };

let current = other;
let since = 0;
let longest = other;
let longestMs = 0;

/** Says that what the event loop does from here on is for this. Costs some 50 ns. */
export function workOn(work: Work): void {
  const now = performance.now();
  account(current, now);
  current = work;
}

/** Says that what the event loop has done up to here, since anybody said anything, was for this. */
export function workedOn(work: Work): void {
  account(work, performance.now());
  current = other;
}

function account(work: Work, now: number): void {
  const ms = now - since;
  if (ms > longestMs) [longest, longestMs] = [work, ms];
  since = now;
}

/**
 * Counts blocks of the event loop of more than 50 ms by what caused them: a timer that comes late tells how long one was,
 * and the longest time between two notes whose it was. Of those beyond 200 ms `tell` hears.
 *
 * @returns how to end it.
 */
export function watchLoop(report: (work: string, ms: number) => void): () => void {
  let expected = performance.now() + everyMs;
  const timer = setInterval(() => {
    const now = performance.now();
    account(current, now);
    const ms = now - expected;
    if (ms > blockMs) {
      const { route } = longestMs >= ms / 2 ? longest : several;
      timing('event_loop_block_seconds', { work: route }).observe(ms / 1000);
      if (ms > longBlockMs) report(route, Math.round(ms));
    }
    [current, longest, longestMs] = [other, other, 0];
    expected = now + everyMs;
  }, everyMs).unref();
  return () => clearInterval(timer);
}
