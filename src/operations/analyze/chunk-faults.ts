import { LRUCache } from 'lru-cache';
import { isPersistent, storesOneByOne } from '../run/patience.ts';
import type { Patience } from '../run/patience.ts';
import type { AnalysisChunk } from './chunk.ts';

/**
 * Maximum number of chunks whose faults are remembered. Failing chunks are retried every second, so the most recently
 * used ones are those that matter.
 */
const maxRemembered = 1_000;

type Counted = { count: number; readonly since: number };
type Key = Pick<AnalysisChunk, 'operationId' | 'number'>;
const keyOf = ({ operationId, number }: Key) => `${operationId}:${number}`;

/** Counts the faults of chunks in this process. A process that takes over a chunk starts counting from zero. */
export class ChunkFaults {
  readonly #faults = new LRUCache<string, Counted>({ max: maxRemembered });
  readonly #patience: Patience;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  meet(chunk: Key, error: unknown): void {
    if (!isPersistent(error)) return;
    const faults = this.#faults.get(keyOf(chunk)) ?? { count: 0, since: performance.now() };
    faults.count += 1;
    this.#faults.set(keyOf(chunk), faults);
  }

  /** Whether the results of a chunk are stored one by one from now on. */
  isOneByOne(chunk: Key): boolean {
    const faults = this.#faults.get(keyOf(chunk));
    if (faults === undefined) return false;
    const faultySeconds = (performance.now() - faults.since) / 1_000;
    return storesOneByOne({ numFaults: faults.count, faultySeconds }, this.#patience);
  }
}
