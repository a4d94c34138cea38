/** Entries per page of the service. */
const step = 50;

type Page<Row> = Readonly<{ count: number; results: readonly Row[] }>;

/** A list that is read page by page, newest first. */
export class NumberedPages<Row extends Readonly<{ id: string | number }>> {
  rows = $state.raw<readonly Row[] | null>(null);
  count = $state.raw(0);
  fault = $state.raw<unknown>(null);
  readonly #read: (page: number, limit: number) => Promise<Page<Row>>;
  #pages = 1;
  /** The number of the last request: answers to earlier ones are out of date. */
  #turn = 0;

  constructor(read: (page: number, limit: number) => Promise<Page<Row>>) {
    this.#read = read;
    void this.reload();
  }

  get hasMore(): boolean {
    return this.rows !== null && this.rows.length < this.count;
  }

  more(): Promise<void> {
    return this.#add(this.#pages + 1);
  }

  /** Reads the list again from its first page. */
  reload(): Promise<void> {
    return this.#add(1);
  }

  async #add(page: number): Promise<void> {
    const turn = (this.#turn += 1);
    try {
      const { count, results } = await this.#read(page, step);
      if (turn !== this.#turn) return;
      const shown = page === 1 ? [] : (this.rows ?? []);
      // Entries that arrived in the meantime push others to the next page.
      const known = new Set(shown.map(({ id }) => id));
      this.rows = [...shown, ...results.filter(({ id }) => !known.has(id))];
      [this.count, this.#pages, this.fault] = [count, page, null];
    } catch (error) {
      if (turn === this.#turn) this.fault = error;
    }
  }
}
