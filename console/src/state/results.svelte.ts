import { untrack } from 'svelte';
import { isAbort } from '../api/graphql.ts';
import { countResults, fetchResults } from '../results/items.ts';
import { ResultPages } from '../results/pages.svelte.ts';
import { route } from './route.svelte.ts';

let pages = $state.raw<ResultPages | null>(null);
let count = $state<number | null>(null);
let firstPage: Promise<void> = Promise.resolve();
let again = $state(0);
let refreshed = $state(0);

/** What answers the search of the address bar. */
export const results = {
  get pages(): ResultPages | null {
    return pages;
  },
  /** How many there are in all; null until they are counted. */
  get count(): number | null {
    return count;
  },
  /** Resolves when the first page of the latest question was read, or failed. */
  get firstPage(): Promise<void> {
    return firstPage;
  },
  /** How often was asked once more. */
  get reloads(): number {
    return again;
  },
  /** Grows when records may be others than they were read. */
  get revision(): number {
    return again + refreshed;
  },
  /** Asks once more. */
  reload(): void {
    again += 1;
  },
  /** Reads one record again, where it stands among the results. */
  refresh(id: string): void {
    refreshed += 1;
    pages?.refresh(id).catch(() => {});
  },
};

/** Reads results whenever the question changes, for as long as the component lives that calls this. */
export function keepResults(): void {
  const question = $derived(
    JSON.stringify([route().kind, route().q, route().sort, route().order, route().view, again]),
  );
  $effect(() => {
    void question;
    const asked = untrack(route);
    const stop = new AbortController();
    const own = new ResultPages(fetchResults(asked));
    pages = own;
    count = null;
    firstPage = own.loadNext();
    void countResults(asked, stop.signal).then(
      (found) => {
        if (!stop.signal.aborted) count = found;
      },
      (error: unknown) => {
        // The list says what is wrong with the question.
        if (!isAbort(error)) count = 0;
      },
    );
    return () => {
      stop.abort();
      own.close();
    };
  });
}
