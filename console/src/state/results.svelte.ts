import { untrack } from 'svelte';
import { patiently } from '../api/patiently.ts';
import { countResults, fetchResult, fetchResults } from '../results/items.ts';
import { fetchNeighbors } from '../results/neighbors.ts';
import { ResultPages } from '../results/pages.svelte.ts';
import { route } from './route.svelte.ts';

let pages = $state.raw<ResultPages | null>(null);
let count = $state<number | null>(null);
let firstPage: Promise<void> = Promise.resolve();
let again = $state(0);
let refreshed = $state(0);

/** The results of the search in the address bar. */
export const results = {
  get pages(): ResultPages | null {
    return pages;
  },
  /** The total number; null until they are counted. */
  get count(): number | null {
    return count;
  },
  /** Resolves when the first page of the latest search was read, or failed. */
  get firstPage(): Promise<void> {
    return firstPage;
  },
  /** Increases when records may differ from what was read. */
  get revision(): number {
    return again + refreshed;
  },
  /** Repeats the search. */
  reload(): void {
    again += 1;
  },
  /** Reads one record again, in its place among the results. */
  refresh(id: string): void {
    refreshed += 1;
    pages?.refresh(id).catch(() => {});
  },
};

/** Reads results whenever the search changes, for the lifetime of the calling component. */
export function keepResults(): void {
  const question = $derived(
    JSON.stringify([route().kind, route().q, route().sort, route().order, route().view, again]),
  );
  $effect(() => {
    void question;
    const asked = untrack(route);
    const stop = new AbortController();
    const own = new ResultPages(fetchResults(asked), fetchResult(asked), fetchNeighbors(asked));
    pages = own;
    count = null;
    firstPage = own.loadNext();
    patiently(() => countResults(asked, stop.signal), { onWait: () => {}, signal: stop.signal }).then(
      (found) => {
        if (!stop.signal.aborted) count = found;
      },
      // The list shows what is wrong with the search.
      () => {},
    );
    return () => {
      stop.abort();
      own.close();
    };
  });
}

/** Finds the neighbors of a record that comes after the pages that were read, for the lifetime of the calling component. */
export function keepNeighbors(id: () => string): void {
  $effect(() => {
    const [own, asked, stop] = [pages, id(), new AbortController()];
    const { signal } = stop;
    patiently(async () => own?.locate(asked, signal), { onWait: () => {}, signal }).catch(() => {});
    return () => stop.abort();
  });
}
