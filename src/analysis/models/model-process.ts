import { readFileSync } from 'node:fs';
import { builtFile } from '../../lib/package-root.ts';
import { idleMs, niceness } from '../limits.ts';
import { NoStartError, ProcessEndedError } from '../process/ask.ts';
import { analysisFlags } from '../process/flags.ts';
import type { ModelAnswer, ModelJob } from '../process/messages.ts';
import { AnalysisProcesses } from '../process/processes.ts';
import { findModelRuntime } from './find-package.ts';
import { ModelError } from './model-error.ts';
import type { ModelProcessSettings } from './process.ts';

/** The compiled program: Node does not run TypeScript. */
const builtProgram = builtFile('analysis/models/process.js');

const limits = {
  idleMs,
  /** Time limit for one job, including loading the model and waiting for others. */
  answerMs: 120_000,
  /** How often its memory is checked while it works. */
  pollMs: 250,
  /** Memory limit of the process: a base that is always allowed, plus this multiple of the memory for network files. */
  memoryFactor: 2,
  memoryBase: 768 * 2 ** 20,
} as const;
export type ModelProcessLimits = { readonly [Name in keyof typeof limits]: number };

export type ModelProcessOptions = Readonly<{
  modelsDir: string;
  /** Memory in bytes for the files of all loaded networks. */
  memoryBytes: number;
  threads: number;
  limits?: Partial<ModelProcessLimits>;
}>;

/** The process that runs models of MODELS_DIR: it starts with the first job, and ends after a while without any. */
export class ModelProcess {
  readonly #processes: AnalysisProcesses;
  readonly #limits: ModelProcessLimits;
  readonly #mostBytes: number;
  #busy = 0;
  #watch: NodeJS.Timeout | undefined;
  #exceeded = false;

  constructor({ modelsDir, memoryBytes, threads, limits: own }: ModelProcessOptions) {
    this.#limits = { ...limits, ...own };
    this.#mostBytes = memoryBytes * this.#limits.memoryFactor + this.#limits.memoryBase;
    const settings: ModelProcessSettings = {
      threads,
      niceness: niceness.background,
      modelsDir,
      runtime: findModelRuntime(modelsDir),
      memoryBytes,
    };
    const times = { idleMs: this.#limits.idleMs, startPausesMs: [200, 1_000] };
    const flags = analysisFlags('onnxRuntime');
    this.#processes = new AnalysisProcesses({ program: builtProgram, settings, flags, times });
  }

  /** Its process id; undefined while it does not run. */
  get pid(): number | undefined {
    return this.#processes.pid;
  }

  /** Its memory in bytes; null if the system does not report it, or the process does not run. */
  get memory(): number | null {
    const { pid } = this;
    return pid === undefined ? null : residentBytes(pid);
  }

  /** @throws ModelError, or the reason of the signal. */
  async ask(job: ModelJob, signal?: AbortSignal): Promise<ModelAnswer> {
    const timeout = AbortSignal.timeout(this.#limits.answerMs);
    this.#begin();
    try {
      const all = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
      return await this.#processes.ask({ name: 'model', ...job }, all);
    } catch (error) {
      signal?.throwIfAborted();
      if (timeout.aborted) {
        this.#processes.endCurrent();
        throw new ModelError('timeout', `${job.model} gave no answer within ${this.#limits.answerMs / 1000} s`);
      }
      throw this.#toModelError(error, job);
    } finally {
      this.#end();
    }
  }

  /** Kills it immediately; running models fail. */
  close(): void {
    clearInterval(this.#watch);
    this.#processes.close();
  }

  #toModelError(error: unknown, { model }: ModelJob): unknown {
    if (!(error instanceof ProcessEndedError || error instanceof NoStartError)) return error;
    if (this.#exceeded) {
      const most = `${Math.round(this.#mostBytes / 2 ** 20)} MiB`;
      return new ModelError(
        'out_of_memory',
        `models took more than ${most}: set a higher MODELS_MEMORY, or a smaller batch`,
      );
    }
    return error instanceof NoStartError
      ? new ModelError('failed', 'the process of models cannot start')
      : new ModelError('crashed', `the process of models ended while ${model} ran`);
  }

  #begin(): void {
    this.#busy += 1;
    this.#watch ??= setInterval(() => this.#checkMemory(), this.#limits.pollMs).unref();
  }

  #end(): void {
    this.#busy -= 1;
    if (this.#busy > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#exceeded = false;
  }

  #checkMemory(): void {
    if ((this.memory ?? 0) <= this.#mostBytes) return;
    this.#exceeded = true;
    this.#processes.endCurrent();
  }
}

const pageBytes = 4096;

/** Linux only. */
function residentBytes(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes;
  } catch {
    return null;
  }
}
