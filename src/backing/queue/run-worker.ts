import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantWorker } from './queue.ts';

/** What is used of BullMQ's worker. */
export type Runnable = Readonly<{
  on(event: 'error', listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  close(): Promise<void>;
}>;

export type RunOptions = Readonly<{
  /** Opens a worker whose handling of jobs goes through `track`. */
  open: (track: (handling: Promise<void>) => Promise<void>) => Runnable;
  retryMs: number;
  onError: (error: Error) => void;
}>;

/** How long a worker may take to part from its queue once nothing is handled: the queue may be away. */
const partingMs = 3_000;

/**
 * Runs a worker once its connections are ready, and opens another one where they fail. One that
 * never got ready would keep its first error for good, and spin on it.
 */
export function runWorker({ open, retryMs, onError }: RunOptions): TenantWorker {
  const closing = new AbortController();
  const handled = new Set<Promise<void>>();

  async function track(handling: Promise<void>): Promise<void> {
    handled.add(handling);
    try {
      await handling;
    } finally {
      handled.delete(handling);
    }
  }

  async function start(): Promise<Runnable | null> {
    while (!closing.signal.aborted) {
      const worker = open(track);
      worker.on('error', onError);
      try {
        await worker.waitUntilReady();
      } catch (error) {
        onError(error as Error);
        await worker.close();
        await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => {});
        continue;
      }
      worker.run().catch(onError);
      return worker;
    }
    return null;
  }

  /** Nothing is handled any more, and has not been for a while. */
  async function overdue(): Promise<void> {
    while (handled.size > 0) await Promise.allSettled(handled);
    await sleep(partingMs, undefined, { ref: false });
  }

  const started = start();
  return {
    async close() {
      closing.abort();
      const closed = started.then((worker) => worker?.close());
      // What BullMQ still has to tell a queue that is away is worth no waiting: jobs hold nothing.
      await Promise.race([closed.catch(onError), overdue()]);
    },
  };
}
