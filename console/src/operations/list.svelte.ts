import { graphql } from '../api/graphql.ts';
import { ListOperations } from '../api/documents.ts';
import type { OperationRowFragment } from '../api/documents.ts';

export type OperationRow = OperationRowFragment;

/** Number of operations that each step adds to the list. */
const step = 50;
const pauses = { activeMs: 2_000, idleMs: 10_000 } as const;

/** The operations of the tenant, newest first; read repeatedly while the page is visible. */
export class OperationList {
  rows = $state.raw<readonly OperationRow[] | null>(null);
  count = $state.raw(0);
  fault = $state.raw<unknown>(null);
  #limit = step;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor() {
    void this.reload();
  }

  get hasMore(): boolean {
    return this.rows !== null && this.rows.length < this.count;
  }

  more(): Promise<void> {
    this.#limit += step;
    return this.reload();
  }

  async reload(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const { operations } = await graphql(ListOperations, { page: 1, limit: this.#limit });
      this.rows = operations.results;
      this.count = operations.count;
      this.fault = null;
    } catch (error) {
      this.fault = error;
    }
    const isActive = this.rows?.some(({ isFinished }) => !isFinished) === true;
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#again(), isActive ? pauses.activeMs : pauses.idleMs);
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** A page in the background sends no requests. */
  #again(): void {
    if (document.visibilityState === 'visible') return void this.reload();
    document.addEventListener('visibilitychange', () => this.#isOver || void this.reload(), { once: true });
  }
}
