import type { Resource } from '../../../catalog/index.ts';
import type { RemoteApi } from './api.ts';

/** A picture or video of another catalog. */
export type RemoteRecord = Readonly<{
  id: string;
  resource: Resource;
  /** Its name in that catalog; its extension is kept. */
  fileName: string;
  /** Path of its original below the address of the catalog; a function if the path must be requested first. */
  filePath: string | (() => Promise<string>);
  /** Size of the original; null if unknown. */
  bytes: number | null;
  /** Fields by the contract's names, without those that have no value. */
  fields: Readonly<Record<string, unknown>>;
}>;

/** How to read a kind of catalog. */
export type RemoteCatalog = Readonly<{
  /** The headers that send a key. */
  headers(key: string): Readonly<Record<string, string>>;
  /** All of its records, page by page. */
  list(api: RemoteApi): AsyncIterable<RemoteRecord>;
}>;

/** Drops fields without a value: empty texts, empty lists, and nulls. */
export function stated(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).filter(([, value]) => {
    if (Array.isArray(value)) return value.length > 0;
    return typeof value === 'string' ? value.trim() !== '' : value !== null && value !== undefined;
  });
  return Object.fromEntries(entries);
}

/** Splits a list such as `boats, sea`. */
export function splitAtCommas(list: string | null | undefined): string[] {
  return (list ?? '').split(',').flatMap((word) => word.trim() || []);
}

/** The day of a timestamp as it was written: `2022-07-01` for `2022-07-01T22:40:00.000Z`. */
export function dayOf(moment: string | null | undefined): string | null {
  return /^\d{4}-\d{2}-\d{2}/.exec(moment ?? '')?.[0] ?? null;
}
