import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect } from 'vitest';

/** How many of `count` tasks that start at once end before something else of the event loop has its turn. */
export async function endedFirst(count: number, task: (number: number) => Promise<unknown>): Promise<number> {
  let ended = 0;
  const all = Array.from({ length: count }, async (_, number) => {
    await task(number);
    ended += 1;
  });
  await nextIteration();
  const first = ended;
  await Promise.all(all);
  expect(ended).toBe(count);
  return first;
}
