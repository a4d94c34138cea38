// A busy loop in each of two threads, at the priority of an analysis while requests are answered: `node
// dist/bench/idle-loop.js SECONDS`, started detached. The baseline for readers during an analysis.
import process from 'node:process';
import { isMainThread, Worker } from 'node:worker_threads';
import { leftoverNiceness } from '../src/analysis/limits.ts';
import { lowerPriority } from '../src/lib/lower-priority.ts';

const threads = 2;

if (isMainThread) {
  lowerPriority(leftoverNiceness);
  for (let i = 0; i < threads; i += 1) {
    new Worker(import.meta.filename, { argv: process.argv.slice(2) }).once('error', (error) => {
      throw error;
    });
  }
} else {
  const values = new Float64Array(2 ** 17);
  const end = performance.now() + Number(process.argv[2]) * 1000;
  while (performance.now() < end)
    for (let i = 0; i < values.length; i += 1) values[i] = Math.sqrt(i + (values[i] ?? 0));
}
