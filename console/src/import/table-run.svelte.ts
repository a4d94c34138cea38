import type { EntryFault, ImportBatch } from '../../../src/tables/batches.ts';
import { ApiError } from '../api/graphql.ts';
import { FollowedOperation } from '../operations/followed.svelte.ts';
import type { KeptRun } from './kept-table.ts';
import { failuresOf, writeBatch } from './write-batch.ts';

/** Why a row is not stored, with its field where one is wrong. */
export type RowFault = Pick<EntryFault, 'place' | 'field' | 'code' | 'message'>;

/** Pause before the service is asked again when it does not answer. */
const retryMs = 2_000;

/** A write of rows, batch by batch, or a check of them. */
export class TableRun {
  readonly isDryRun: boolean;
  /** Rows in it. */
  readonly total: number;
  readonly #rules: Omit<KeptRun, 'places'>;
  good = $state(0);
  faults = $state.raw<ReadonlyMap<string, RowFault>>(new Map());
  isEnded = $state(false);
  isWaiting = $state(false);
  fault = $state.raw<unknown>(null);
  operations = $state.raw<readonly number[]>([]);
  #followed = $state.raw<FollowedOperation | null>(null);
  #isStopped = false;

  constructor(rules: Omit<KeptRun, 'places'>, { isDryRun, total }: Readonly<{ isDryRun: boolean; total: number }>) {
    [this.#rules, this.isDryRun, this.total] = [rules, isDryRun, total];
  }

  /** Rows that were stored or have failed. */
  get done(): number {
    const running = this.#followed?.stages.find(({ stage }) => stage === 'store')?.done ?? 0;
    return this.good + this.faults.size + running;
  }

  /** Notes down rows that are not stored. */
  fail(faults: readonly RowFault[]): void {
    if (faults.length > 0)
      this.faults = new Map([...this.faults, ...faults.map((each) => [each.place, each] as const)]);
  }

  /** Writes one batch after the other; reports each when it ends, with the places of what was stored. */
  async write(batches: AsyncIterable<ImportBatch>, stored: (places: readonly string[]) => void): Promise<void> {
    try {
      let number = 0;
      for await (const batch of batches) {
        number += 1;
        if (!this.#isStopped) stored(await this.#writeOne(batch, number));
        if (this.#isStopped) return;
      }
      this.isEnded = true;
    } catch (error) {
      this.fault = error;
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#followed?.stop();
  }

  async #writeOne(batch: ImportBatch, number: number): Promise<readonly string[]> {
    const { id: name, onDuplicate } = this.#rules;
    const idempotencyKey = this.isDryRun ? null : `${name}:${number}`;
    const id = await this.#patiently(() => writeBatch(batch, { dryRun: this.isDryRun, onDuplicate, idempotencyKey }));
    this.operations = [...this.operations, id];
    this.#followed = new FollowedOperation(id);
    await this.#followed.stored;
    this.#followed.stop();
    if (this.#isStopped) return [];
    const failures = await this.#patiently(() => failuresOf(id));
    this.#followed = null;
    this.fail([...failures].map(([position, failure]) => ({ ...failure, place: batch.places[position] ?? '' })));
    const stored = batch.places.filter((_, position) => !failures.has(position));
    this.good += stored.length;
    return stored;
  }

  /** Asks again until the service answers. */
  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const answer = await ask();
        this.isWaiting = false;
        return answer;
      } catch (error) {
        const isAway = error instanceof ApiError && (error.code === 'unreachable' || error.status >= 502);
        if (!isAway || this.#isStopped) throw error;
        this.isWaiting = true;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }
}
