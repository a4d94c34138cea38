import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { limitWork } from '../../../src/analysis/process/limit-work.ts';
import { full } from '../../support/effort.ts';

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;) Math.sqrt(2);
}

it('a task has its time of a processor, shared by all that run, and ten times as much of the clock', full, async () => {
  const [alone, shared, done] = [limitWork(0.4, () => 1), limitWork(0.4, () => 100), limitWork(0.4, () => 1)];
  done.end();
  await sleep(600);
  expect(alone.signal.aborted).toBe(false);
  // However little of a processor this gets, it ends with more than its time.
  for (const from = process.cpuUsage(); process.cpuUsage(from).user < 500_000;) work(10);
  await expect.poll(() => alone.signal.aborted).toBe(true);
  expect(shared.signal.aborted).toBe(false);
  await expect.poll(() => shared.signal.aborted, { timeout: 20_000 }).toBe(true);
  expect(done.signal.aborted).toBe(false);
  alone.end();
  shared.end();
});
