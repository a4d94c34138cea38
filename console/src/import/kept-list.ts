import type { OnDuplicate } from '../api/documents.ts';
import { session } from '../state/session.svelte.ts';
import type { KeptItem, Resource } from './import-item.svelte.ts';

/** A write of files that was started. Sent again under its key, it returns the same operation. */
export type KeptWrite = Readonly<{
  key: string;
  resource: Resource;
  onDuplicate: OnDuplicate | null;
  /** Its files, in the order of its elements. */
  paths: readonly string[];
}>;

/** The files of an import that are not stored yet, and their unfinished writes. */
export type KeptList = Readonly<{ items: readonly KeptItem[]; writes: readonly KeptWrite[] }>;

/** Each tenant has its own list, because several may use one browser. */
const name = () => `vitrine:import-list:${session.who?.tenant}`;

/** Keeps what is left of the import, in case the page is closed. A list that the browser has no room for is not kept. */
export function keepList(list: KeptList): void {
  try {
    localStorage.setItem(name(), JSON.stringify(list));
  } catch {
    localStorage.removeItem(name());
  }
}

/** What was left of the import when its page was closed. */
export function keptList(): KeptList {
  try {
    return JSON.parse(localStorage.getItem(name()) ?? '') as KeptList;
  } catch {
    return { items: [], writes: [] };
  }
}
