import { setTimeout as sleep } from 'node:timers/promises';
import { NoStartError, ProcessEndedError, ProcessReplacedError, AnalysisProcess } from './ask.ts';
import type { AnalysisProcessOptions } from './ask.ts';
import type { Job, JobResult } from './messages.ts';

/** Time limits, in milliseconds. */
export type Times = Readonly<{
  /** After this long without work the process ends and releases its models' memory. */
  idleMs: number;
  /** Pauses before callers retry if the process cannot start; after the last one they give up. */
  startPausesMs: readonly number[];
}>;

type ProcessesOptions = Omit<AnalysisProcessOptions, 'onEnd'> & Readonly<{ times: Times }>;

/** How many processes may die, one after the other, because of other pictures before a job fails. */
const mostReplacements = 10;

/** The shared analysis process, which starts when it is needed, and others for one picture each. */
export class AnalysisProcesses {
  readonly #options: ProcessesOptions;
  readonly #all = new Set<AnalysisProcess>();
  #current: AnalysisProcess | null = null;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ProcessesOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Sends a job to the shared process. If it cannot start, retries with another one after a pause; if it ended because of
   * another picture, retries with another one at once. @throws like AnalysisProcess.ask.
   */
  async ask<J extends Job>(job: J, signal?: AbortSignal): Promise<JobResult<J>> {
    const pauses = this.#options.times.startPausesMs.values();
    for (let replaced = 0; ;) {
      try {
        return await this.#askCurrent(job, signal);
      } catch (error) {
        if (this.#isClosed) throw error;
        if (error instanceof ProcessReplacedError && replaced < mostReplacements) {
          replaced += 1;
          continue;
        }
        const { value: pauseMs, done } = error instanceof NoStartError ? pauses.next() : { value: 0, done: true };
        if (done === true) throw error;
        await sleep(pauseMs, undefined, { signal });
      }
    }
  }

  /** Sends a job to a separate process with at least this nice value, and ends it. @throws like AnalysisProcess.ask. */
  async askAlone<J extends Job>(job: J, signal?: AbortSignal, niceness = 0): Promise<JobResult<J>> {
    const asked = this.#start(niceness);
    try {
      return await asked.ask(job, signal);
    } finally {
      asked.end();
    }
  }

  /** The process id of the shared process; undefined while there is none. */
  get pid(): number | undefined {
    return this.#current?.pid;
  }

  /** Ends the shared process and the jobs that run in it; the next job starts a new one. */
  endCurrent(): void {
    this.#current?.end();
    this.#current = null;
  }

  /** Whether the shared process is analyzing something. */
  get isBusy(): boolean {
    return (this.#current?.busy ?? 0) > 0;
  }

  /** Makes the shared process leave processors to requests, or stop doing so. */
  giveWay(isOn: boolean): void {
    this.#current?.giveWay(isOn);
  }

  /** Kills all processes immediately; running analyses fail. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    for (const each of this.#all) each.end();
  }

  async #askCurrent<J extends Job>(job: J, signal?: AbortSignal): Promise<JobResult<J>> {
    clearTimeout(this.#idle);
    const asked = (this.#current ??= this.#start());
    try {
      return await asked.ask(job, signal);
    } finally {
      // Each of several jobs that end at once finds the process idle.
      clearTimeout(this.#idle);
      if (asked === this.#current && asked.busy === 0) {
        this.#idle = setTimeout(() => this.endCurrent(), this.#options.times.idleMs).unref();
      }
    }
  }

  #start(niceness = 0): AnalysisProcess {
    if (this.#isClosed) throw new ProcessEndedError('image analysis has stopped');
    const { times: _, settings: usual, ...options } = this.#options;
    const settings = { ...usual, niceness: Math.max(usual.niceness, niceness) };
    const onEnd = () => {
      this.#all.delete(started);
      if (this.#current === started) this.#current = null;
    };
    const started = new AnalysisProcess({ ...options, settings, onEnd });
    this.#all.add(started);
    return started;
  }
}
