import type { EntryFault, ImportBatch } from '../../../src/tables/batches.ts';
import { patiently } from '../api/patiently.ts';
import { Waiting } from '../api/waiting.svelte.ts';
import { newKey } from '../api/write-once.ts';
import { FollowedOperation } from '../operations/followed.svelte.ts';
import type { KeptRun } from './kept-table.ts';
import { failuresOf, writeBatch } from './write-batch.ts';

/** Why a row is not stored, with the faulty field if there is one. */
export type RowFault = Pick<EntryFault, 'place' | 'field' | 'code' | 'message'>;

/** A write of rows, batch by batch, or a check of them. */
export class TableRun {
  readonly isDryRun: boolean;
  /** Number of rows in it. */
  readonly total: number;
  readonly #rules: Omit<KeptRun, 'places'>;
  good = $state(0);
  faults = $state.raw<ReadonlyMap<string, RowFault>>(new Map());
  isEnded = $state(false);
  readonly waiting = new Waiting();
  fault = $state.raw<unknown>(null);
  operations = $state.raw<readonly number[]>([]);
  #followed = $state.raw<FollowedOperation | null>(null);
  #isStopped = false;

  constructor(rules: Omit<KeptRun, 'places'>, { isDryRun, total }: Readonly<{ isDryRun: boolean; total: number }>) {
    [this.#rules, this.isDryRun, this.total] = [rules, isDryRun, total];
  }

  /** Number of rows that were stored or have failed. */
  get done(): number {
    const running = this.#followed?.stages.find(({ stage }) => stage === 'store')?.done ?? 0;
    return this.good + this.faults.size + running;
  }

  /** Notes rows that are not stored. */
  fail(faults: readonly RowFault[]): void {
    if (faults.length > 0)
      this.faults = new Map([...this.faults, ...faults.map((each) => [each.place, each] as const)]);
  }

  /** Writes one batch after the other. When each ends, passes the places of the stored rows to `stored`. */
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
      if (!this.#isStopped) this.fault = error;
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.waiting.stop();
    this.#followed?.stop();
  }

  async #writeOne(batch: ImportBatch, number: number): Promise<readonly string[]> {
    const { id: name, onDuplicate } = this.#rules;
    const { onWait, signal } = this.waiting;
    const key = this.isDryRun ? newKey() : `${name}:${number}`;
    const id = await writeBatch(batch, { dryRun: this.isDryRun, onDuplicate, key, onWait, signal });
    this.operations = [...this.operations, id];
    this.#followed = new FollowedOperation(id);
    await this.#followed.stored;
    this.#followed.stop();
    if (this.#isStopped) return [];
    const failures = await patiently(() => failuresOf(id), this.waiting);
    this.#followed = null;
    this.fail([...failures].map(([position, failure]) => ({ ...failure, place: batch.places[position] ?? '' })));
    const stored = batch.places.filter((_, position) => !failures.has(position));
    this.good += stored.length;
    return stored;
  }
}
