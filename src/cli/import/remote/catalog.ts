import type { Resource } from '../../../catalog/index.ts';
import type { RemoteApi } from './api.ts';

/** A picture or video of another catalog. */
export type RemoteRecord = Readonly<{
  id: string;
  resource: Resource;
  /** Its name there, whose ending is kept. */
  fileName: string;
  /** Where its original is, below the address of the catalog; a function where it has to be asked for. */
  filePath: string | (() => Promise<string>);
  /** Size of the original; null where it is unknown. */
  bytes: number | null;
  /** Fields under the contract's names, without those that have no value. */
  fields: Readonly<Record<string, unknown>>;
}>;

/** How a catalog of some kind is read. */
export type RemoteCatalog = Readonly<{
  /** The headers that carry a key. */
  headers(key: string): Readonly<Record<string, string>>;
  /** All that it has, page by page. */
  list(api: RemoteApi): AsyncIterable<RemoteRecord>;
}>;

/** Values that say something: no empty texts, no empty lists, no nulls. */
export function stated(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).filter(([, value]) => {
    if (Array.isArray(value)) return value.length > 0;
    return typeof value === 'string' ? value.trim() !== '' : value !== null && value !== undefined;
  });
  return Object.fromEntries(entries);
}

/** The day of a moment as it was written: `2022-07-01` of `2022-07-01T22:40:00.000Z`. */
export function dayOf(moment: string | null | undefined): string | null {
  return /^\d{4}-\d{2}-\d{2}/.exec(moment ?? '')?.[0] ?? null;
}
