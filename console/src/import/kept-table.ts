import type { Language } from '../../../src/analysis/facts.ts';
import type { TableColumn } from '../../../src/tables/table.ts';
import type { OnDuplicate } from '../api/documents.ts';
import { session } from '../state/session.svelte.ts';

/** A write of the rows of a table that was started; the same id and rows yield the same operations. */
export type KeptRun = Readonly<{
  id: string;
  /** The rows that it stores; null for all. */
  places: readonly string[] | null;
  onDuplicate: OnDuplicate | null;
}>;

/** A table with the choices that were made for it. */
export type KeptTable = Readonly<{
  path: string;
  file: File;
  columns: readonly TableColumn[];
  lang: Language | 'each' | null;
  /** Rows of the last write that are not stored; null before the first one. */
  failed: readonly string[] | null;
  run: KeptRun | null;
}>;

const [database, store] = ['vitrine', 'tables'] as const;
/** Each tenant has its own table, because several may use one browser. */
const name = () => `import ${session.who?.tenant}`;

/** The table that was unfinished when the page was closed; null in browsers that store nothing. */
export async function keptTable(): Promise<KeptTable | null> {
  const found = (await inStore('readonly', (tables) => tables.get(name())).catch(() => undefined)) as unknown;
  return (found as KeptTable | undefined) ?? null;
}

/** Stores a table until it is finished; null forgets it. */
export async function keepTable(table: KeptTable | null): Promise<void> {
  const change = (tables: IDBObjectStore) => (table === null ? tables.delete(name()) : tables.put(table, name()));
  await inStore('readwrite', change).catch(() => {});
}

async function inStore(mode: IDBTransactionMode, act: (tables: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open(database, 1);
  opening.addEventListener('upgradeneeded', () => void opening.result.createObjectStore(store));
  const open = (await answerOf(opening)) as IDBDatabase;
  try {
    return await answerOf(act(open.transaction(store, mode).objectStore(store)));
  } finally {
    open.close();
  }
}

function answerOf(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser keeps nothing')));
  });
}
