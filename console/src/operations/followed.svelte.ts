import { ApiError, graphql, isAbort } from '../api/graphql.ts';
import { FollowOperation, OneOperation } from '../api/documents.ts';
import type { OneOperationQuery } from '../api/documents.ts';
import { subscribe } from '../api/subscribe.ts';
import { paceOf, stagesOf, stagesOfEvent, withSample } from './progress.ts';
import type { Pace, Sample, StageProgress } from './progress.ts';

export type OperationDetails = NonNullable<OneOperationQuery['operation']>;

/** Pause before the next request if the service does not answer. */
const retryMs = 2_000;

/** An operation, read once and followed until it ends; following resumes by itself when the service is back. */
export class FollowedOperation {
  /** Undefined until it is read; null if there is none. */
  details = $state.raw<OperationDetails | null | undefined>(undefined);
  stages = $state.raw<readonly StageProgress[]>([]);
  pace = $state.raw<Pace | null>(null);
  fault = $state.raw<unknown>(null);
  /** Resolves when every element has been stored or has failed, or when no more events will arrive. */
  readonly stored: Promise<void>;
  #tellStored = (): void => {};
  readonly #id: number;
  readonly #end = new AbortController();
  #samples: readonly Sample[] = [];
  #sampled: StageProgress['stage'] | null = null;

  constructor(id: number) {
    this.#id = id;
    this.stored = new Promise((resolve) => (this.#tellStored = resolve));
    void this.#run().finally(() => this.#tellStored());
  }

  stop(): void {
    this.#end.abort();
  }

  async reload(): Promise<void> {
    const { signal } = this.#end;
    const { operation } = await graphql(OneOperation, { id: this.#id }, signal);
    this.details = operation;
    this.fault = null;
    if (operation !== null) this.#show(stagesOf(operation));
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        await this.reload();
        if (!this.details || this.details.isFinished) return;
        for await (const { operationProgress } of subscribe(FollowOperation, { id: this.#id }, signal)) {
          this.#show(stagesOfEvent(operationProgress));
        }
      } catch (error) {
        if (isAbort(error)) return;
        this.fault = error;
        if (error instanceof ApiError && error.code !== 'unreachable' && error.status < 500) return;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  #show(stages: readonly StageProgress[]): void {
    this.stages = stages;
    if (stages.some(({ stage, done, total }) => stage === 'store' && done >= total)) this.#tellStored();
    const current = stages.find(({ done, total }) => done < total);
    if (current?.stage !== this.#sampled) this.#samples = [];
    this.#sampled = current?.stage ?? null;
    if (current === undefined) return void (this.pace = null);
    this.#samples = withSample(this.#samples, { at: performance.now(), done: current.done });
    this.pace = paceOf(this.#samples, current);
  }
}
