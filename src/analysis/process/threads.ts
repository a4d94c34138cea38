import { Piscina } from 'piscina';
import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import { builtFile } from '../../lib/package-root.ts';
import type { AnalyzerErrorCode } from '../facts.ts';
import { idleMs } from '../limits.ts';
import { limitWork } from './limit-work.ts';
import type { AnalyzerTask, TaskAnswer, ThreadSettings } from './worker.ts';

/** JavaScript heap of a thread; models and pixels are outside it and bounded by the rasters' sizes. */
const heapMb = 512;

/** Threads run compiled files, however this one was started: a test runner's loader does not apply to them. */
const workerFile = builtFile('analysis/process/worker.js');

/** Why a thread returned no result. */
export class ThreadError extends Error {
  readonly code: AnalyzerErrorCode;

  constructor(code: AnalyzerErrorCode, message: string) {
    super(message);
    this.name = 'ThreadError';
    this.code = code;
  }
}

type AnalyzerRunOptions = Readonly<{
  signal: AbortSignal;
  maxSeconds: number;
  /** Waiting owners get equal numbers of threads. */
  owner: number;
}>;

/** Threads that run analyzers: none are started before the first task, and all end after a while without any. */
export class Threads {
  readonly #pool: Piscina<AnalyzerTask, TaskAnswer>;
  /** Tasks wait here rather than in the pool, so that the time limit of a task starts when a thread is free. */
  readonly #slots: FairSemaphore;
  #running = 0;
  #givesWay = false;

  /** `file` is the program of the threads; it takes tasks and returns answers like worker.ts. */
  constructor(count: number, { onnxRuntime }: ThreadSettings, file = workerFile) {
    this.#slots = new FairSemaphore({
      name: 'analyses',
      capacity: () => (this.#givesWay ? Math.max(1, count >> 1) : count),
    });
    this.#pool = new Piscina<AnalyzerTask, TaskAnswer>({
      filename: file,
      minThreads: 0,
      maxThreads: count,
      workerData: { onnxRuntime } satisfies ThreadSettings,
      idleTimeout: idleMs,
      // A thread that is waiting for tasks must be able to end.
      atomics: 'disabled',
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
  }

  /** Starts or stops leaving half of the threads idle; tasks that they are running finish first. */
  giveWay(isOn: boolean): void {
    this.#givesWay = isOn;
  }

  /** Number of running tasks. */
  get running(): number {
    return this.#running;
  }

  /**
   * @throws ThreadError, or the reason of the signal.
   */
  run(task: AnalyzerTask, { signal, maxSeconds, owner }: AnalyzerRunOptions): Promise<TaskAnswer> {
    const work = async () => {
      const limit = limitWork(maxSeconds, () => this.#running);
      this.#running += 1;
      try {
        return await this.#pool.run(task, { signal: AbortSignal.any([signal, limit.signal]) });
      } catch (error) {
        signal.throwIfAborted();
        throw toThreadError(error, limit.signal.aborted ? maxSeconds : null);
      } finally {
        limit.end();
        this.#running -= 1;
      }
    };
    return this.#slots.run(owner, work, signal);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

function toThreadError(error: unknown, exceeded: number | null): ThreadError {
  if (exceeded !== null) return new ThreadError('timeout', `took longer than ${exceeded} s`);
  const { message, code } = error as Error & { code?: string };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new ThreadError('out_of_memory', 'needed too much memory');
  if (/worker.*exit|Terminating worker/i.test(message)) return new ThreadError('crashed', 'its thread ended');
  return new ThreadError('failed', message);
}
