import type { OnDuplicate } from '../api/documents.ts';
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

const name = 'vitrine:import-list';

/** Keeps what is left of the import, in case the page is closed. */
export function keepList(list: KeptList): void {
  localStorage.setItem(name, JSON.stringify(list));
}

/** What was left of the import when its page was closed. */
export function keptList(): KeptList {
  try {
    return JSON.parse(localStorage.getItem(name) ?? '') as KeptList;
  } catch {
    return { items: [], writes: [] };
  }
}
