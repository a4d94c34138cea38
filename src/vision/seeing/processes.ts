import { setTimeout as sleep } from 'node:timers/promises';
import type { Analysis } from '../analysis.ts';
import { NoStartError, SeeingProcess } from './ask.ts';
import type { SeeingOptions } from './ask.ts';

/** How long things may take, in milliseconds. */
export type Times = Readonly<{
  /** After so long without work the process ends and gives its models' memory back. */
  idleMs: number;
  /** How long those who find that it cannot start wait before they try again; then they give up. */
  startPausesMs: readonly number[];
}>;

export type ProcessesOptions = Omit<SeeingOptions, 'onEnd'> & Readonly<{ times: Times }>;

type Asking = Parameters<SeeingProcess['ask']>;

/** The process that looks at pictures, which starts when it is needed, and others for one picture each. */
export class SeeingProcesses {
  readonly #options: ProcessesOptions;
  readonly #all = new Set<SeeingProcess>();
  #current: SeeingProcess | null = null;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ProcessesOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Asks the process that all share, and another one after a pause where that cannot start. @throws as SeeingProcess.ask does. */
  async ask(...asking: Asking): Promise<Analysis> {
    for (const pauseMs of this.#options.times.startPausesMs) {
      try {
        return await this.#askCurrent(asking);
      } catch (error) {
        if (!(error instanceof NoStartError) || this.#isClosed) throw error;
        await sleep(pauseMs, undefined, { signal: asking[2] });
      }
    }
    return this.#askCurrent(asking);
  }

  /** Asks a process that looks at nothing else. @throws as SeeingProcess.ask does. */
  async askAlone(...asking: Asking): Promise<Analysis> {
    const asked = this.#start();
    try {
      return await asked.ask(...asking);
    } finally {
      asked.end();
    }
  }

  /** Ends all of them at once; what they look at fails. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    for (const each of this.#all) each.end();
  }

  async #askCurrent(asking: Asking): Promise<Analysis> {
    clearTimeout(this.#idle);
    const asked = (this.#current ??= this.#start());
    try {
      return await asked.ask(...asking);
    } finally {
      clearTimeout(this.#idle); // Several that end at once all find it idle.
      if (asked === this.#current && asked.busy === 0) {
        this.#idle = setTimeout(() => this.#rest(), this.#options.times.idleMs).unref();
      }
    }
  }

  #start(): SeeingProcess {
    const { times: _, ...options } = this.#options;
    const onEnd = () => {
      this.#all.delete(started);
      if (this.#current === started) this.#current = null;
    };
    const started = new SeeingProcess({ ...options, onEnd });
    this.#all.add(started);
    return started;
  }

  #rest(): void {
    this.#current?.end();
    this.#current = null; // A picture that comes before it is gone gets another one.
  }
}
