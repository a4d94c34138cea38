import { Worker } from 'node:worker_threads';
import { builtFile } from '../../lib/package-root.ts';
import { loadKernels } from './wasm/kernels.ts';
import type { Kernels } from './wasm/kernels.ts';
import { runScan, scratch } from './scan.ts';
import type { ScanHits, Scan } from './scan.ts';
import type { WorkerData, WorkerReply } from './scan-worker.ts';
import type { SharedHeap } from './shared-heap.ts';

/** Threads run compiled files, no matter how this one was started. */
const workerFile = builtFile('similarity/index/scan-worker.js');
/** Scanning this few blocks (some 4,000 rows, well below a millisecond) is not worth the transfer to a thread. */
const inlineBlocks = 8;

type Waiting = Readonly<{ resolve: (found: ScanHits) => void; reject: (error: Error) => void }>;
type Thread = Readonly<{ worker: Worker; waiting: Map<number, Waiting> }>;

/** Threads that scan an index. They start with the first scan that is worth it. */
export class ScanPool {
  readonly #heap: SharedHeap;
  readonly #places: readonly number[];
  readonly #threads = new Map<number, Thread>();
  readonly #kernels: Kernels;
  readonly #ownPlace: number;
  #lastId = 0;

  constructor(heap: SharedHeap, threads: number) {
    this.#heap = heap;
    this.#ownPlace = heap.allocate(scratch.bytes);
    this.#places = Array.from({ length: threads }, () => heap.allocate(scratch.bytes));
    this.#kernels = loadKernels(heap.memory);
  }

  /** Scans in this thread, for a few rows. */
  scanInline(scan: Scan): ScanHits {
    return runScan(this.#kernels, this.#heap.memory.buffer, this.#ownPlace, scan);
  }

  /** Scans with all threads. Each takes blocks until none are left, so that none waits for a slow one. */
  async scan(scan: Scan): Promise<ScanHits> {
    if (scan.blocks.length <= inlineBlocks) return this.scanInline(scan);
    const cursor = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const parts = await Promise.all(this.#places.map((_, k) => this.#ask(k, { ...scan, cursor })));
    const length = parts.reduce((sum, { slots }) => sum + slots.length, 0);
    const all = { slots: new Uint32Array(length), values: new Float64Array(length) };
    let at = 0;
    for (const { slots, values } of parts) {
      all.slots.set(slots, at);
      all.values.set(values, at);
      at += slots.length;
    }
    return all;
  }

  async close(): Promise<void> {
    const threads = [...this.#threads.values()];
    this.#threads.clear();
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  #ask(k: number, scan: Scan): Promise<ScanHits> {
    const { worker, waiting } = this.#threads.get(k) ?? this.#start(k);
    this.#lastId += 1;
    const id = this.#lastId;
    // While a result is awaited, the thread keeps the process alive.
    worker.ref();
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, scan }, []);
    });
  }

  #start(k: number): Thread {
    const data: WorkerData = { memory: this.#heap.memory, scratch: this.#places[k] as number };
    const worker = new Worker(workerFile, { workerData: data });
    const thread: Thread = { worker, waiting: new Map() };
    worker.on('message', (reply: WorkerReply) => {
      const asked = thread.waiting.get(reply.id);
      thread.waiting.delete(reply.id);
      if (thread.waiting.size === 0) worker.unref();
      if ('found' in reply) asked?.resolve(reply.found);
      else asked?.reject(new Error(reply.error));
    });
    const end = (error: Error) => {
      if (this.#threads.get(k) === thread) this.#threads.delete(k);
      for (const { reject } of thread.waiting.values()) reject(error);
      thread.waiting.clear();
    };
    worker.on('error', end);
    worker.on('exit', () => end(new Error('A thread of similarity search ended')));
    this.#threads.set(k, thread);
    return thread;
  }
}
