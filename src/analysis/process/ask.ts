import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { ElementError } from '../../lib/errors.ts';
import type { Job, AnalysisOrder, ProcessSettings, AnalysisReport, JobOutcome, JobResult } from './messages.ts';

/** The process ended while it analyzed a picture, because of that picture or of another one that it analyzed meanwhile. */
export class ProcessEndedError extends Error {}

/** The process ended because of another picture, which it reported: this one is sent to the next process. */
export class ProcessReplacedError extends Error {}

/** The process ended before it could analyze anything, which is no picture's fault: the machine may be short of memory. */
export class NoStartError extends Error {}

export type AnalysisProcessOptions = Readonly<{
  /** The program of the process, like process.ts. */
  program: string;
  settings: ProcessSettings;
  /** Node flags. */
  flags: readonly string[];
  /** Called when the process has ended. */
  onEnd: () => void;
}>;

type Asked = Readonly<{ resolve: (result: JobOutcome) => void; reject: (error: Error) => void }>;

/** An analysis process. While idle, it does not keep this process alive. */
export class AnalysisProcess {
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, Asked>();
  #orders: AnalysisOrder[] = [];
  #lastId = 0;
  #isReady = false;
  #isStuck = false;
  #givesWay = false;

  constructor({ program, settings, flags, onEnd }: AnalysisProcessOptions) {
    this.#child = fork(program, [JSON.stringify(settings)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [...flags],
      // It needs nothing else from our environment, least of all secrets. UV_THREADPOOL_SIZE sizes the pool that decodes
      // pictures: two per thread, so that processors are busy while results are taken. Without MALLOC_ARENA_MAX, glibc keeps
      // the freed memory of every thread separately, 100 MB in total.
      env: { UV_THREADPOOL_SIZE: String(2 * settings.threads), MALLOC_ARENA_MAX: '2' },
      // Keys that stop the service signal its whole process group; running analyses may still finish.
      detached: true,
    });
    this.#child.on('message', (reports: readonly AnalysisReport[]) => reports.forEach((report) => this.#hear(report)));
    const end = () => {
      for (const { reject } of this.#asked.values()) reject(this.#ended());
      this.#asked.clear();
      onEnd();
    };
    this.#child.once('exit', end);
    this.#child.once('error', end);
    this.#rest();
  }

  /** Its process id; undefined if it could not start. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Number of pictures being analyzed. */
  get busy(): number {
    return this.#asked.size;
  }

  /** @throws ElementError, ProcessEndedError, ProcessReplacedError, NoStartError, or the reason of the signal. */
  async ask<J extends Job>(job: J, signal?: AbortSignal): Promise<JobResult<J>> {
    return (await this.#ask(job, signal)) as JobResult<J>;
  }

  #ask(job: Job, signal?: AbortSignal): Promise<JobOutcome> {
    const id = (this.#lastId += 1);
    return new Promise<JobOutcome>((resolve, reject) => {
      signal?.throwIfAborted();
      this.#work();
      const abort = () => {
        this.#say({ type: 'abort', id });
        end(() => reject(signal?.reason as Error));
      };
      const end = (settle: () => void) => {
        signal?.removeEventListener('abort', abort);
        this.#asked.delete(id);
        if (this.busy === 0) this.#rest();
        settle();
      };
      this.#asked.set(id, {
        resolve: (result) => end(() => resolve(result)),
        reject: (error) => end(() => reject(error)),
      });
      signal?.addEventListener('abort', abort);
      this.#say({ type: 'work', id, job });
    });
  }

  /** Makes it leave processors to requests, or stop doing so. */
  giveWay(isOn: boolean): void {
    if (isOn === this.#givesWay) return;
    this.#givesWay = isOn;
    this.#say({ type: 'give way', isOn });
  }

  /** Kills it immediately; running analyses fail. */
  end(): void {
    this.#child.kill('SIGKILL');
  }

  /** Orders given in the same iteration of the event loop are sent in one message. */
  #say(order: AnalysisOrder): void {
    if (this.#orders.push(order) > 1) return;
    setImmediate(() => {
      const orders = this.#orders;
      this.#orders = [];
      if (this.#child.connected) this.#child.send(orders, () => {}); // The exit event tells when the process is gone.
    });
  }

  #hear(report: AnalysisReport): void {
    if (report.type === 'ready') this.#isReady = true;
    else if (report.type === 'result') this.#asked.get(report.id)?.resolve(report.result);
    else if (report.type === 'stuck') {
      this.#isStuck = true;
      this.#asked.get(report.id)?.reject(new ElementError('decode_failed', report.message));
    } else {
      const { id, code, message } = report;
      this.#asked.get(id)?.reject(code === null ? new Error(message) : new ElementError(code, message));
    }
  }

  #ended(): Error {
    if (this.#isStuck) return new ProcessReplacedError('the analysis process crashed on another picture');
    if (this.#isReady) return new ProcessEndedError('the analysis process ended');
    return new NoStartError('the analysis process cannot start');
  }

  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #work(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }
}
