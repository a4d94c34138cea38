import { setTimeout as sleep } from 'node:timers/promises';
import { NoStartError, ProcessEndedError, ProcessReplacedError, AnalysisProcess } from './ask.ts';
import type { AnalysisProcessOptions } from './ask.ts';
import type { Job, ResultOf } from './messages.ts';

/** How long things may take, in milliseconds. */
export type Times = Readonly<{
  /** After so long without work the process ends and gives its models' memory back. */
  idleMs: number;
  /** How long those who find that it cannot start wait before they try again; then they give up. */
  startPausesMs: readonly number[];
}>;

export type ProcessesOptions = Omit<AnalysisProcessOptions, 'onEnd'> & Readonly<{ times: Times }>;

/** Processes that may end, one after the other, over pictures of others while one is looked at. */
const mostReplacements = 10;

/** The process that looks at pictures, which starts when it is needed, and others for one picture each. */
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
   * Asks the process that all share, and another one after a pause where that cannot start, or at once where it ended
   * over another picture. @throws as AnalysisProcess.ask does.
   */
  async ask<J extends Job>(job: J, signal?: AbortSignal): Promise<ResultOf<J>> {
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

  /** Asks a process that looks at nothing else, of this nice value or more, and ends it. @throws as AnalysisProcess.ask does. */
  async askAlone<J extends Job>(job: J, signal?: AbortSignal, niceness = 0): Promise<ResultOf<J>> {
    const asked = this.#start(niceness);
    try {
      return await asked.ask(job, signal);
    } finally {
      asked.end();
    }
  }

  /** Whether the process that all share looks at something. */
  get isBusy(): boolean {
    return (this.#current?.busy ?? 0) > 0;
  }

  /** Has the process that all share leave processors to requests, or no more. */
  giveWay(isOn: boolean): void {
    this.#current?.giveWay(isOn);
  }

  /** Ends all of them at once; what they look at fails. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    for (const each of this.#all) each.end();
  }

  async #askCurrent<J extends Job>(job: J, signal?: AbortSignal): Promise<ResultOf<J>> {
    clearTimeout(this.#idle);
    const asked = (this.#current ??= this.#start());
    try {
      return await asked.ask(job, signal);
    } finally {
      clearTimeout(this.#idle); // Several that end at once all find it idle.
      if (asked === this.#current && asked.busy === 0) {
        this.#idle = setTimeout(() => this.#rest(), this.#options.times.idleMs).unref();
      }
    }
  }

  #start(niceness = 0): AnalysisProcess {
    if (this.#isClosed) throw new ProcessEndedError('pictures are not looked at any more');
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

  #rest(): void {
    this.#current?.end();
    this.#current = null; // A picture that comes before it is gone gets another one.
  }
}
