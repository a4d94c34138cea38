import pLimit from 'p-limit';
import type { ActiveTenants } from '../../lib/active-tenants.ts';
import type { Answers } from '../../lib/answers.ts';
import { AppError, ElementError } from '../../lib/errors.ts';
import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Handling } from '../analysis.ts';
import type { DecodeCost } from '../decode-cost.ts';
import { largeNiceness, niceness, urgentPictures } from '../limits.ts';
import type { Urgency } from '../limits.ts';
import { NoStartError, ProcessEndedError } from './ask.ts';
import { DecodeQueue } from './decode-queue.ts';
import { analysisFlags, backendOf } from './flags.ts';
import type { Job, JobResult } from './messages.ts';
import { AnalysisProcesses } from './processes.ts';
import type { Times } from './processes.ts';
import { RequestsFirst } from './requests-first.ts';

type PicturesOptions = Readonly<{
  program: string;
  threads: number;
  tessdataDir: string | null;
  onnxRuntime: string | null;
  /** Memory in bytes for decoding all large pictures together. */
  decodeMemoryBytes: number;
  times: Times & Readonly<{ decodeSeconds: number }>;
  logger: Logger;
  /** Work that a caller waits for is counted here; other work yields to what is counted. */
  answers: Answers;
  /** A large picture has a lower priority while several tenants are served. */
  activeTenants: ActiveTenants;
}>;

/**
 * All analysis processes: one per urgency, and one for each large picture while it is decoded. When
 * one ends unexpectedly, each picture in it gets another process for itself, so that a fault of native code
 * affects only the picture that causes it.
 */
export class Pictures {
  readonly #processes: Readonly<Record<Urgency, AnalysisProcesses>>;
  readonly #urgent: FairSemaphore;
  readonly #large: DecodeQueue;
  readonly #requestsFirst: RequestsFirst;
  readonly #logger: Logger;
  readonly #answers: Answers;
  readonly #activeTenants: ActiveTenants;
  readonly #suspects = pLimit(1);

  constructor({
    program,
    threads,
    tessdataDir,
    onnxRuntime,
    decodeMemoryBytes,
    times,
    logger,
    answers,
    activeTenants,
  }: PicturesOptions) {
    this.#answers = answers;
    this.#activeTenants = activeTenants;
    const { decodeSeconds } = times;
    const flags = analysisFlags(backendOf(onnxRuntime));
    const open = (urgency: Urgency) => {
      const settings = { threads, niceness: niceness[urgency], decodeSeconds, tessdataDir, onnxRuntime };
      return new AnalysisProcesses({ program, settings, flags, times });
    };
    this.#processes = { interactive: open('interactive'), background: open('background') };
    const { ahead, ofOthers, waiting } = urgentPictures;
    this.#urgent = new FairSemaphore({
      name: 'pictures',
      capacity: threads + ahead,
      capacityForFirst: threads + ahead + ofOthers,
      queuePerOwner: waiting,
    });
    // Half of the processors, so that small pictures never wait for a large one.
    this.#large = new DecodeQueue({ slots: Math.max(1, threads >> 1), memoryBytes: decodeMemoryBytes });
    const { background } = this.#processes;
    this.#requestsFirst = new RequestsFirst(
      answers,
      () => background.isBusy,
      (areAnswered) => background.giveWay(areAnswered),
    );
    this.#logger = logger;
  }

  /**
   * @throws ElementError; for an urgent picture AppError `unavailable` if too many of its owner wait, or no process starts;
   * NoStartError for any other; the reason of the signal.
   */
  ask<J extends Job>(job: J, handling: Handling): Promise<JobResult<J>> {
    const { owner = 0, signal } = handling;
    if (urgencyOf(handling) === 'interactive') {
      return this.#awaited(() => this.#urgent.run(owner, () => this.#ask(job, handling), signal));
    }
    const asked = this.#ask(job, handling);
    this.#requestsFirst.watch();
    return asked;
  }

  /** Sends a job to a separate process, when its turn in the queue of large pictures comes. @throws like `ask`. */
  async askAlone<J extends Job>(job: J, cost: DecodeCost, handling: Handling): Promise<JobResult<J>> {
    const { owner = 0, signal } = handling;
    const slot = { owner, cost, urgency: urgencyOf(handling), ...(signal && { signal }) };
    const decode = () => this.#large.run(slot, () => this.#askNew(job, handling));
    return slot.urgency === 'interactive' ? this.#awaited(decode) : decode();
  }

  /** Kills all processes immediately; running analyses fail. */
  close(): void {
    for (const each of Object.values(this.#processes)) each.close();
  }

  async #ask<J extends Job>(job: J, handling: Handling): Promise<JobResult<J>> {
    try {
      return await this.#processes[urgencyOf(handling)].ask(job, handling.signal);
    } catch (error) {
      if (!this.#hasEnded(error, handling)) throw error;
      this.#logger.warn({}, 'the analysis process ended; this picture is analyzed again, alone');
      return this.#suspects(() => this.#askNew(job, handling));
    }
  }

  async #askNew<J extends Job>(job: J, handling: Handling): Promise<JobResult<J>> {
    try {
      return await this.#processes[urgencyOf(handling)].askAlone(
        job,
        handling.signal,
        this.#activeTenants.isShared ? largeNiceness : 0,
      );
    } catch (error) {
      if (!this.#hasEnded(error, handling)) throw error;
      throw new ElementError('decode_failed', 'the picture crashes the analysis process');
    }
  }

  /** Counts interactive work as a request that is being answered. @throws AppError `unavailable` if no process starts. */
  async #awaited<T>(work: () => Promise<T>): Promise<T> {
    this.#answers.begin();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NoStartError)) throw error;
      this.#logger.error({}, 'no analysis process can start: the machine may be short of memory');
      throw new AppError('unavailable', 'Pictures cannot be analyzed at the moment', { hint: 'Try again in a minute' });
    } finally {
      this.#answers.end();
    }
  }

  /** Whether the process ended because of its job, and not because all of them were closed. */
  #hasEnded(error: unknown, handling: Handling): boolean {
    return error instanceof ProcessEndedError && !this.#processes[urgencyOf(handling)].isClosed;
  }
}

function urgencyOf({ isUrgent = false }: Handling): Urgency {
  return isUrgent ? 'interactive' : 'background';
}
