import { results } from '../state/results.svelte.ts';
import { follow, route } from '../state/route.svelte.ts';
import type { WhichRecords } from './write.ts';

let ids = $state.raw<ReadonlySet<string>>(new Set());
/** Whether all results are selected, including those that were never shown. */
let isWhole = $state(false);
/** The start of a range. */
let anchor: string | null = null;

/** The ids of the results that have been read so far, in their order. */
function shownIds(): string[] {
  return results.pages?.list.flatMap((page) => [...page.ids]) ?? [];
}

/** The selected records among the results. */
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
  /** Selects or deselects a record. If all results were selected, only this one stays selected. */
  toggle(id: string): void {
    const next = new Set(isWhole ? [] : ids);
    if (!next.delete(id)) next.add(id);
    [ids, isWhole, anchor] = [next, false, id];
  },
  /** Selects everything from the last selected record up to this one. */
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
  /** The selected records by their ids, or by the formula that finds them all. */
  get which(): WhichRecords {
    if (!isWhole) return { ids: [...ids] };
    return { q: route().q.trim() === '' ? '*' : route().q };
  },
};

/** A click opens a result; with Shift or Ctrl, it selects, as usual in lists of pictures. */
export function openOrSelect(event: MouseEvent, id: string): void {
  if (event.shiftKey) selection.extendTo(id);
  else if (event.ctrlKey || event.metaKey) selection.toggle(id);
  else return follow(event, { open: id });
  event.preventDefault();
}

/** The X key selects or deselects the focused result. */
export function selectByKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, id: string): void {
  if (key === 'x' && !ctrlKey && !metaKey && !altKey) selection.toggle(id);
}

/** The search that the selection belongs to. */
let searched = '';

/** Clears the selection when the search changes, for the lifetime of the calling component. */
export function keepSelection(): void {
  const search = $derived(JSON.stringify([route().kind, route().q]));
  $effect(() => {
    if (search !== searched) selection.clear();
    searched = search;
  });
}
