import { AppError } from '../../lib/errors.ts';
import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import { regionCount } from '../../analysis/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Query } from './scan.ts';
import { findHashes, isIndexed } from '../database/find-hashes.ts';
import { findVectors } from '../database/find-vectors.ts';
import type { FingerprintIndex } from '../database/fingerprint-index.ts';
import { ScanPool } from './scan-pool.ts';
import type { SearchIndex } from './search-index.ts';
import { SharedHeap } from './shared-heap.ts';
import { SimilarityIndex } from './similarity-index.ts';
import type { Hit, IndexedFingerprint } from './similarity-index.ts';
import { readFingerprints, readSomeFingerprints } from './stored-fingerprints.ts';
import type { VectorModel } from './stored-fingerprints.ts';

/** Bytes of memory: enough for one page of the longest vectors that can be compared. */
const heapBytes = 64 * 1024 * 1024;
/** A pass reads every fingerprint of a tenant. Two at once would only take twice as long each. */
const passes = { capacity: 1, queuePerOwner: 64, waitMs: 60_000 };
const passMs = 60_000;

/**
 * Searches fingerprints in the database: with an index of the tenant if one can answer, otherwise page by page, so
 * that the memory it takes does not depend on the size of a tenant.
 */
export class StoredSearch {
  /** Memory for a page. */
  readonly #heap = new SharedHeap(heapBytes);
  readonly #pool = new ScanPool(this.#heap, 1);
  readonly #passes = new FairSemaphore({ name: 'similarity searches in the database', ...passes });

  /**
   * Opens a tenant's fingerprints, with their index if there is one. It keeps everything loaded, so use it for one
   * search only.
   */
  open(db: TenantDb, model: VectorModel | null, of: Resource, stored: FingerprintIndex | null): SearchIndex {
    const loaded = new Map<number, IndexedFingerprint>();
    const readAll = (query: Query) =>
      this.#passes.run(db.tenantId, () => this.#pass(readFingerprints(db, model, of), query, model));
    return {
      layout: { dimensions: model?.dimensions ?? 0 },
      find: (query) =>
        stored?.hasHashes === true && query.kind === 'hashes' && isIndexed(query)
          ? findHashes(db, query)
          : readAll(query),
      findAlike: (query, scope = {}) =>
        stored?.vectors == null || stored.vectors.id !== model?.id
          ? readAll(query)
          : findVectors(db, stored.vectors, query, scope),
      async load(ids) {
        const missing = ids.filter((id) => !loaded.has(id));
        if (missing.length === 0) return;
        for (const each of await readSomeFingerprints(db, model, missing, of)) loaded.set(each.id, each);
      },
      has: (id) => loaded.has(id),
      get: (id) => loaded.get(id) ?? null,
    };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** @throws AppError `unavailable` if it takes too long. */
  async #pass(
    pages: AsyncIterable<readonly IndexedFingerprint[]>,
    query: Query,
    model: VectorModel | null,
  ): Promise<Hit[]> {
    const end = Date.now() + passMs;
    const hits: Hit[] = [];
    const page = new SimilarityIndex(this.#heap, this.#pool, regionCount, model?.dimensions ?? 0);
    for await (const fingerprints of pages) {
      if (Date.now() > end) throw tooSlow();
      try {
        for (const each of fingerprints) page.put(each);
        for (const hit of await page.find(query)) hits.push(hit);
      } finally {
        page.clear();
      }
    }
    return hits;
  }
}

function tooSlow(): AppError {
  const hint = 'The operator can raise SIMILARITY_MEMORY, so that searches read memory';
  return new AppError('unavailable', `The similarity search took longer than ${passMs / 1_000} s`, { hint });
}
