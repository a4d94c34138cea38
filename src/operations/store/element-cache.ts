import { LRUCache } from 'lru-cache';
import type { TenantDb } from '../../tenants/index.ts';
import type { AcceptedElement } from './payload.ts';

/** The elements of an operation by the number of their chunk. */
type Chunks = readonly (readonly AcceptedElement[])[];
type Kept = Readonly<{ chunks: Chunks; bytes: number }>;

/**
 * Maximum total size, as JSON, of the accepted writes that a process keeps, and how long it keeps them for its own
 * worker.
 */
const cacheLimits = { bytes: 64 * 2 ** 20, milliseconds: 60_000 } as const;

/** By database, because operation ids are unique only within one. */
const keptOf = new WeakMap<object, LRUCache<number, Kept>>();

/**
 * Keeps the elements of an accepted write, so that if this process also stores them, it need not read and parse them
 * again from the database. That pays off for records with their analyses, which are large.
 */
export function cacheElements({ pool }: TenantDb, operation: number, chunks: Chunks, bytes: number): void {
  const isLarge = chunks.every((chunk) => chunk.length > 0 && chunk.every(({ analysis }) => analysis !== undefined));
  if (!isLarge || bytes > cacheLimits.bytes) return;
  let kept = keptOf.get(pool);
  if (kept === undefined) {
    kept = new LRUCache({
      maxSize: cacheLimits.bytes,
      sizeCalculation: (own) => Math.max(1, own.bytes),
      ttl: cacheLimits.milliseconds,
    });
    keptOf.set(pool, kept);
  }
  kept.set(operation, { chunks, bytes });
}

/** The cached chunks of an operation; empty if there are none. */
export function cachedChunks({ pool }: TenantDb, operation: number): Chunks {
  return keptOf.get(pool)?.get(operation)?.chunks ?? [];
}

/** Forgets the elements of an operation. */
export function dropCached({ pool }: TenantDb, operation: number): void {
  keptOf.get(pool)?.delete(operation);
}
