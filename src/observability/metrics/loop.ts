import { timing } from './registry.ts';

/** The current work of the event loop: a request, by its path template, or a kind of background work. */
export type Work = Readonly<{ route: string }>;

/** How often the delay of the loop is measured, so that no idle time between two measurements is longer. */
const everyMs = 20;
/** Shorter delays go unnoticed. */
const blockMs = 50;
/** Longer blocks are logged. */
const longBlockMs = 200;

/** Unattributed work: garbage collection, drivers, other programs of the machine. */
const other: Work = { route: 'other' };
/** A block of several pieces of work, none of which took half of it. */
const several: Work = { route: 'several' };

let current = other;
let since = 0;
let longest = other;
let longestMs = 0;

/** Attributes the work that follows to its cause. Takes about 50 ns. */
export function workOn(work: Work): void {
  const now = performance.now();
  account(current, now);
  current = work;
}

/** Attributes the work since the last attribution to its cause. */
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
 * Counts blocks of the event loop of more than 50 ms by their cause. The length of a block is the delay of a timer;
 * its cause is the work that took at least half of it. Blocks beyond 200 ms are passed to `report`.
 *
 * @returns a function that stops it.
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
