import { isAbort } from '../api/graphql.ts';
import { shownAspect } from './layout.ts';
import type { Item } from './items.ts';
import { noNeighbors } from './neighbors.ts';
import type { Neighbors } from './neighbors.ts';

/** One page of results. Its shapes stay when its records are released. */
export type Page = Readonly<{
  number: number;
  /** The cursor with which it is read; null for the first. */
  cursor: string | null;
  aspects: Float32Array;
  ids: readonly string[];
  items: readonly Item[] | null;
}>;

export type Fetched = Readonly<{ items: readonly Item[]; cursor: string | null }>;
export type FetchPage = (cursor: string | null, signal: AbortSignal) => Promise<Fetched>;
/** Reads one record; undefined if it is gone. */
export type FetchItem = (id: string, signal: AbortSignal) => Promise<Item | undefined>;
/** Finds the neighbors of a record. */
export type FetchNeighbors = (id: string, signal: AbortSignal) => Promise<Neighbors>;

/** Number of pages before and after the visible ones whose records are kept. */
const keptAround = 4;

/** The results of one search, page by page; only the records near the visible ones are kept. */
export class ResultPages {
  list = $state.raw<readonly Page[]>([]);
  state = $state<'loading' | 'ready' | 'failed'>('loading');
  fault = $state.raw<unknown>(null);
  /** Whether there are no more pages. */
  isComplete = $state(false);
  readonly #fetch: FetchPage;
  readonly #fetchItem: FetchItem;
  readonly #fetchNeighbors: FetchNeighbors;
  readonly #stop = new AbortController();
  readonly #refetching = new Set<number>();
  #next: string | null = null;
  #loading: Promise<void> | null = null;
  /** The neighbors of a record that is on none of the pages read so far. */
  #located = $state.raw<(Neighbors & Readonly<{ id: string }>) | null>(null);

  constructor(fetch: FetchPage, fetchItem: FetchItem, fetchNeighbors: FetchNeighbors) {
    [this.#fetch, this.#fetchItem, this.#fetchNeighbors] = [fetch, fetchItem, fetchNeighbors];
  }

  /** Reads one more page, unless one is being read. */
  loadNext(): Promise<void> {
    if (this.isComplete) return Promise.resolve();
    return (this.#loading ??= this.#load());
  }

  async #load(): Promise<void> {
    this.state = 'loading';
    try {
      const cursor = this.#next;
      const { items, cursor: next } = await this.#fetch(cursor, this.#stop.signal);
      const aspects = Float32Array.from(items, ({ width, height }) => shownAspect(width, height));
      const page = { number: this.list.length, cursor, aspects, ids: items.map(({ id }) => id), items };
      if (items.length > 0) this.list = [...this.list, page];
      this.#next = next;
      this.isComplete = next === null;
      this.#end('ready');
    } catch (error) {
      if (isAbort(error)) return;
      this.fault = error;
      this.#end('failed');
    }
  }

  /** Ends the reading of a page. Callers that see the new state may request the next page immediately. */
  #end(state: 'ready' | 'failed'): void {
    this.#loading = null;
    this.state = state;
  }

  /** Keeps the records of these pages and their neighbors, reads released ones again, and releases all others. */
  show(first: number, last: number): void {
    const isNear = ({ number }: Page) => number >= first - keptAround && number <= last + keptAround;
    if (this.list.some((page) => page.items !== null && !isNear(page))) {
      this.list = this.list.map((page) => (isNear(page) ? page : { ...page, items: null }));
    }
    for (const page of this.list.slice(Math.max(0, first - 1), last + 2))
      if (page.items === null) void this.#refetch(page);
  }

  async #refetch({ number, cursor }: Page): Promise<void> {
    if (this.#refetching.has(number)) return;
    this.#refetching.add(number);
    try {
      const { items } = await this.#fetch(cursor, this.#stop.signal);
      this.list = this.list.map((page) => (page.number === number ? { ...page, items } : page));
    } catch {
      // It is read again the next time it is shown.
    } finally {
      this.#refetching.delete(number);
    }
  }

  /** Reads a record again. It keeps its position and its match, even if the search no longer finds it. */
  async refresh(id: string): Promise<void> {
    if (this.find(id) === null) return;
    const fresh = await this.#fetchItem(id, this.#stop.signal);
    if (fresh === undefined) return;
    const found = (item: Item) => ({ similarity: item.similarity, ...('match' in item && { match: item.match }) });
    const renew = (item: Item): Item => (item.id === id ? { ...fresh, ...found(item) } : item);
    this.list = this.list.map((page) => ({ ...page, items: page.items?.map(renew) ?? null }));
  }

  /** Finds the neighbors of a record, unless it is on a page that was read. */
  async locate(id: string, signal: AbortSignal): Promise<void> {
    await this.#loading;
    if (this.#ids.includes(id) || signal.aborted) return;
    const neighbors = await this.#fetchNeighbors(id, signal);
    this.#located = { id, ...neighbors };
  }

  /** The record before or after another one; reads the next page if needed. */
  async neighbor(id: string, step: 1 | -1): Promise<string | null> {
    const at = this.#ids.indexOf(id);
    if (at === -1) return this.#neighborsBeyond(id)[step === 1 ? 'next' : 'previous'];
    if (step === 1 && at === this.#ids.length - 1) await this.loadNext();
    return this.#ids[at + step] ?? null;
  }

  /** Whether there are records before and after another one. */
  hasNeighbors(id: string): Readonly<{ previous: boolean; next: boolean }> {
    const at = this.#ids.indexOf(id);
    if (at !== -1) return { previous: at > 0, next: at < this.#ids.length - 1 || !this.isComplete };
    const { previous, next } = this.#neighborsBeyond(id);
    return { previous: previous !== null, next: next !== null };
  }

  #neighborsBeyond(id: string): Neighbors {
    return this.#located?.id === id ? this.#located : noNeighbors;
  }

  /** A record that is loaded. */
  find(id: string): Item | null {
    for (const { items } of this.list) {
      const found = items?.find((item) => item.id === id);
      if (found !== undefined) return found;
    }
    return null;
  }

  get #ids(): string[] {
    return this.list.flatMap(({ ids }) => ids);
  }

  /** Aborts what is being read. */
  close(): void {
    this.#stop.abort();
  }
}
