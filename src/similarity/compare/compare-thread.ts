import { Worker } from 'node:worker_threads';
import { builtFile } from '../../lib/package-root.ts';
import type { CompareReply, CompareTask } from './compare-worker.ts';
import type { Thresholds } from './tiers.ts';

/** Threads run compiled files, no matter how this one was started. */
const workerFile = builtFile('similarity/compare/compare-worker.js');

/** A thread that compares pictures as closely as searches by `i=` do, one task at a time. */
export type CompareThread = Readonly<{
  /** Returns for each pair in how many bits the hashes differ; -1 if they do not match. @throws the signal's reason. */
  compare: (task: CompareTask) => Promise<Int16Array>;
  close: () => Promise<void>;
}>;

/** Starts a thread that ends when the signal fires. */
export function openCompareThread(thresholds: Thresholds, signal: AbortSignal): CompareThread {
  const worker = new Worker(workerFile, { workerData: thresholds });
  let fail: (reason: unknown) => void = () => {};
  let failure: Readonly<{ reason: unknown }> | null = null;
  const end = (reason: unknown) => {
    failure ??= { reason };
    fail(failure.reason);
  };
  const abort = () => {
    end(signal.reason);
    void worker.terminate();
  };
  signal.addEventListener('abort', abort);
  worker.on('error', end);
  worker.on('exit', () => end(new Error('The thread that compares duplicates ended')));
  return {
    compare: (task) =>
      new Promise((resolve, reject) => {
        if (failure !== null) return reject(failure.reason as Error);
        fail = reject;
        worker.once('message', ({ bits }: CompareReply) => resolve(bits));
        worker.postMessage(task, []);
      }),
    async close() {
      signal.removeEventListener('abort', abort);
      await worker.terminate();
    },
  };
}
