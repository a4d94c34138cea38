import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { regionCount } from '../../analysis/index.ts';
import type { IndexedFingerprint } from './similarity-index.ts';
import { SimilarityIndex } from './similarity-index.ts';
import { KnownIndexes } from '../database/known-indexes.ts';
import type { FingerprintIndex } from '../database/fingerprint-index.ts';
import { allCompared, inMemory } from './search-index.ts';
import type { Compares, Placement, SearchIndex } from './search-index.ts';
import { StoredSearch } from './stored-index.ts';
import { ScanPool } from './scan-pool.ts';
import { clearUnused, mustReload } from './followed-index.ts';
import type { Followed } from './followed-index.ts';
import { MemoryUsedUp, SharedHeap } from './shared-heap.ts';
import {
  findComparedModel,
  findModelInUse,
  readFingerprintChanges,
  readFingerprints,
  readHorizon,
  readSomeFingerprints,
} from './stored-fingerprints.ts';
import type { VectorModel } from './stored-fingerprints.ts';

/** After an index found no memory, how long until it is tried again. */
const triedAgainMs = 600_000;

/** A tenant's index of images, or of the frames of its videos. */
type Key = `${Resource} ${number}`;

const keyOf = ({ tenantId }: TenantDb, of: Resource): Key => `${of} ${tenantId}`;

/**
 * The indexes of this process, one per tenant and resource that was searched. Each is read from the database when it
 * is first needed, and catches up before every search, so that an answer covers everything written by transactions
 * that have ended, whichever process wrote it.
 */
export class TenantIndexes {
  readonly #heap: SharedHeap;
  readonly #pool: ScanPool;
  /** Least recently used first. */
  readonly #followed = new Map<Key, Followed>();
  /** Updates in progress: the changes to an index are applied one after the other, in order. */
  readonly #opening = new Map<Key, Promise<Followed>>();
  /** How many searches are using a tenant's index. */
  readonly #users = new Map<Key, number>();

  /** Where searches go. */
  readonly placement: Placement;
  readonly #indexState = new KnownIndexes();
  #stored: StoredSearch | null = null;
  /** Indexes that found no memory, and until when the database searches their fingerprints instead. */
  readonly #tooLarge = new Map<Key, number>();

  constructor(budgetBytes: number, threads: number, placement: Placement = inMemory) {
    this.placement = placement;
    this.#heap = new SharedHeap(budgetBytes);
    this.#pool = new ScanPool(this.#heap, threads);
  }

  /**
   * Runs work with the tenant's index, up to date and safe from eviction; `model` is that of its vectors, if it has
   * any.
   */
  async use<T>(
    db: TenantDb,
    work: (index: SimilarityIndex, model: VectorModel | null) => Promise<T>,
    of: Resource = 'image',
  ): Promise<T> {
    const key = keyOf(db, of);
    this.#users.set(key, (this.#users.get(key) ?? 0) + 1);
    try {
      const followed = await this.#upToDate(db, of);
      try {
        return await work(followed.index, followed.model);
      } finally {
        followed.users -= 1;
        clearUnused(followed);
      }
    } finally {
      const left = (this.#users.get(key) ?? 1) - 1;
      if (left === 0) this.#users.delete(key);
      else this.#users.set(key, left);
    }
  }

  /**
   * Runs a search in memory or in the database, as configured. With `auto` it runs in the database if the tenant's
   * index finds no memory, or if the tenant has many images and the database has indexes of everything to compare.
   */
  async search<T>(
    db: TenantDb,
    work: (index: SearchIndex, model: VectorModel | null) => Promise<T>,
    of: Resource = 'image',
    compares: readonly Compares[] = allCompared,
  ): Promise<T> {
    const { mode } = this.placement;
    if (mode === 'memory') return this.use(db, work, of);
    const stored = await this.#indexState.read(db, of);
    const where = { of, compares, stored };
    if (mode === 'database' || this.#prefersDatabase(stored, compares) || this.#isTooLarge(keyOf(db, of)))
      return this.#searchStored(db, work, where);
    let hasIndex = false;
    const noted = (index: SearchIndex, model: VectorModel | null) => {
      hasIndex = true;
      return work(index, model);
    };
    try {
      return await this.use(db, noted, of);
    } catch (error) {
      if (hasIndex || !(error instanceof MemoryUsedUp)) throw error;
      this.#tooLarge.set(keyOf(db, of), Date.now() + triedAgainMs);
      return this.#searchStored(db, work, where);
    }
  }

  /** Like `search`, for many questions about hashes in a row: never reads all pages of the database for each. */
  async searchHashes<T>(db: TenantDb, work: (index: SearchIndex) => Promise<T>): Promise<T> {
    const { mode } = this.placement;
    const compares = ['hashes'] as const;
    const stored = mode === 'memory' ? null : await this.#indexState.read(db, 'image');
    const isStored = mode === 'database' ? stored?.hasHashes === true : this.#prefersDatabase(stored, compares);
    return isStored ? this.#searchStored(db, work, { of: 'image', compares, stored }) : this.use(db, work);
  }

  #prefersDatabase(stored: FingerprintIndex | null, compares: readonly Compares[]): boolean {
    if (stored === null || stored.images < this.placement.databaseFrom) return false;
    const has = { hashes: stored.hasHashes, parts: false, vectors: stored.vectors !== null };
    return compares.every((what) => has[what]);
  }

  async #searchStored<T>(
    db: TenantDb,
    work: (index: SearchIndex, model: VectorModel | null) => Promise<T>,
    {
      of,
      compares,
      stored,
    }: Readonly<{ of: Resource; compares: readonly Compares[]; stored: FingerprintIndex | null }>,
  ): Promise<T> {
    // Without an index, finding the model means counting all vectors.
    const model = compares.includes('vectors') ? (stored?.vectors ?? (await findComparedModel(db, of))) : null;
    this.#stored ??= new StoredSearch();
    return work(this.#stored.open(db, model, of, stored), model);
  }

  #isTooLarge(key: Key): boolean {
    const until = this.#tooLarge.get(key);
    if (until !== undefined && Date.now() >= until) this.#tooLarge.delete(key);
    return this.#tooLarge.has(key);
  }

  /** Returns how many tenants have an index here, and how many images those contain. */
  figures(): Readonly<{ tenants: number; images: number }> {
    const tenants = new Set([...this.#followed.keys()].map((key) => key.split(' ')[1]));
    const ofImages = [...this.#followed.values()].filter(({ of }) => of === 'image');
    return { tenants: tenants.size, images: ofImages.reduce((sum, { index }) => sum + index.size, 0) };
  }

  #upToDate(db: TenantDb, of: Resource): Promise<Followed> {
    const key = keyOf(db, of);
    const before: Promise<unknown> = this.#opening.get(key) ?? Promise.resolve();
    const update = before
      .catch(() => null)
      .then(async () => {
        const followed = await this.#follow(db, of);
        // Counted now, before the next update can replace it.
        followed.users += 1;
        return followed;
      })
      .finally(() => {
        if (this.#opening.get(key) === update) this.#opening.delete(key);
      });
    this.#opening.set(key, update);
    return update;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#opening.values());
    this.#followed.clear();
    await Promise.all([this.#pool.close(), this.#stored?.close()]);
  }

  async #follow(db: TenantDb, of: Resource): Promise<Followed> {
    const key = keyOf(db, of);
    for (;;) {
      const known = this.#followed.get(key);
      const followed = known === undefined || mustReload(known) ? await this.#read(db, of, known) : known;
      this.#followed.delete(key);
      this.#followed.set(key, followed);
      // If this fails, the index is unchanged, and the next search catches up from the same point.
      if (await this.#catchUp(db, followed)) return followed;
      followed.isOutdated = true;
    }
  }

  async #read(db: TenantDb, of: Resource, before: Followed | undefined): Promise<Followed> {
    this.#followed.delete(keyOf(db, of));
    if (before !== undefined) {
      before.isReplaced = true;
      clearUnused(before);
    }
    // The horizon comes first: whatever changes during the full read is read again later.
    const horizon = await readHorizon(db);
    const modelInUse = (await findModelInUse(db, of))?.id ?? null;
    const model = await findComparedModel(db, of);
    const index = new SimilarityIndex(this.#heap, this.#pool, regionCount, model?.dimensions ?? 0);
    try {
      for await (const page of readFingerprints(db, model, of)) this.#putAll(index, page);
    } catch (error) {
      index.clear();
      throw error;
    }
    const read = { of, index, model, modelInUse, horizon, caughtUpAt: Date.now() };
    return { ...read, open: [], withoutVector: 0, users: 0, isReplaced: false, isOutdated: false };
  }

  /** False if another model has come into use. */
  async #catchUp(db: TenantDb, followed: Followed): Promise<boolean> {
    const { horizon, rows, open, modelInUse } = await readFingerprintChanges(
      db,
      followed.horizon,
      followed.open,
      followed.of,
    );
    if (modelInUse !== followed.modelInUse && modelInUse !== followed.model?.id) return false;
    if (rows.length > 0) {
      const found = await readSomeFingerprints(db, followed.model, rows, followed.of);
      const kept = new Set(found.map(({ id }) => id));
      for (const id of rows) if (!kept.has(id)) followed.index.remove(id);
      this.#putAll(followed.index, found);
      followed.withoutVector += found.filter(({ vector }) => vector === null).length;
    }
    followed.horizon = horizon;
    followed.open = open;
    followed.caughtUpAt = Date.now();
    return true;
  }

  /** Evicts the least recently searched indexes if memory runs out. @throws AppError `unavailable` if all are in use. */
  #putAll(index: SimilarityIndex, page: readonly IndexedFingerprint[]): void {
    for (const fingerprint of page) {
      while (!this.#heap.hasRoom(index.layout.blockBytes)) {
        const idle = [...this.#followed].find(([key]) => !this.#users.has(key));
        if (idle === undefined) break;
        this.#followed.delete(idle[0]);
        idle[1].index.clear();
      }
      index.put(fingerprint);
    }
  }
}
