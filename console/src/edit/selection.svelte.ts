import { results } from '../state/results.svelte.ts';
import { route } from '../state/route.svelte.ts';
import { formulaOfIds } from './formula-of-ids.ts';

let ids = $state.raw<ReadonlySet<string>>(new Set());
/** Whether all results are selected, also those that were never shown. */
let isWhole = $state(false);
/** Where a range begins. */
let anchor: string | null = null;

/** The ids of the results that were read so far, in their order. */
function shownIds(): string[] {
  return results.pages?.list.flatMap((page) => [...page.ids]) ?? [];
}

/** The records that are selected among the results. */
export const selection = {
  get isEmpty(): boolean {
    return !isWhole && ids.size === 0;
  },
  get isWhole(): boolean {
    return isWhole;
  },
  get size(): number {
    return isWhole ? (results.count ?? 0) : ids.size;
  },
  has(id: string): boolean {
    return isWhole || ids.has(id);
  },
  /** Selects a record, or no longer. Of all results, the one alone is left. */
  toggle(id: string): void {
    const next = new Set(isWhole ? [] : ids);
    if (!next.delete(id)) next.add(id);
    [ids, isWhole, anchor] = [next, false, id];
  },
  /** Selects all from the record that was selected last up to this one. */
  extendTo(id: string): void {
    const all = shownIds();
    const [from, to] = [all.indexOf(anchor ?? id), all.indexOf(id)].toSorted((a, b) => a - b) as [number, number];
    if (from === -1) return this.toggle(id);
    [ids, isWhole] = [new Set([...ids, ...all.slice(from, to + 1)]), false];
  },
  selectAll(): void {
    isWhole = true;
  },
  clear(): void {
    [ids, isWhole, anchor] = [new Set(), false, null];
  },
  /** The ids of the selected records; null for all results. */
  get ids(): ReadonlySet<string> | null {
    return isWhole ? null : ids;
  },
  /** The formula that finds the selected records. */
  get formula(): string {
    if (!isWhole) return formulaOfIds(ids);
    return route().q.trim() === '' ? '*' : route().q;
  },
};

/** The key X selects the result that has the focus, or no longer. */
export function selectByKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, id: string): void {
  if (key === 'x' && !ctrlKey && !metaKey && !altKey) selection.toggle(id);
}

/** Forgets the selection whenever there are other results, for as long as the component lives that calls this. */
export function keepSelection(): void {
  const query = $derived(JSON.stringify([route().kind, route().q]));
  $effect(() => {
    void query;
    selection.clear();
  });
}
