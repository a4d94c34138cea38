import { setTimeout as sleep } from 'node:timers/promises';

/** The part of BullMQ's worker that we use. */
export type Runnable = Readonly<{
  on(event: 'error', listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  close(): Promise<void>;
}>;

/** A worker of the queue. */
export type TenantWorker = Readonly<{
  /** Takes no more calls, and waits for those in progress. */
  close(): Promise<void>;
}>;

type WorkerOptions = Readonly<{
  /** Opens a worker that passes each job that it handles through `track`. */
  open: (track: (handling: Promise<void>) => Promise<void>) => Runnable;
  retryMs: number;
  onError: (error: Error) => void;
}>;

/** How long a worker may take to close once it handles nothing: the queue may be unavailable. */
const partingMs = 3_000;

/**
 * Runs a worker once its connections are ready, and opens another if they fail. A worker that never became ready
 * would keep its first error forever and retry without pause.
 */
export function runWorker({ open, retryMs, onError }: WorkerOptions): TenantWorker {
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
        await worker.close().catch(onError);
        await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => {});
        continue;
      }
      worker.run().catch(onError);
      return worker;
    }
    return null;
  }

  /** Resolves `partingMs` after the last job has been handled. */
  async function overdue(): Promise<void> {
    while (handled.size > 0) await Promise.allSettled(handled);
    await sleep(partingMs, undefined, { ref: false });
  }

  const started = start();
  return {
    async close() {
      closing.abort();
      const closed = started.then((worker) => worker?.close());
      // BullMQ's last messages to an unavailable queue are not worth waiting for: no job contains anything.
      await Promise.race([closed.catch(onError), overdue()]);
    },
  };
}
