import process from 'node:process';
import { threadId } from 'node:worker_threads';

/** A thread of analysis whose analyzers do what the worst of them could; the task's name says what. */
export default function runTask({ name }) {
  if (name === 'hang') for (;;) Math.sqrt(2);
  if (name === 'exit') process.exit(70);
  if (name === 'throw') throw new Error('no picture can do this');
  if (name === 'hoard') {
    const block = Array.from({ length: 1_000_000 }, (_, i) => ({ i }));
    for (const hoard = []; ;) hoard.push(block.slice());
  }
  return { result: threadId, milliseconds: 0, warnings: [] };
}
