import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { regionCount } from '../../analysis/index.ts';
import type { IndexedFingerprint } from './similarity-index.ts';
import { SimilarityIndex } from './similarity-index.ts';
import { ScanPool } from './scan-pool.ts';
import { SharedHeap } from './shared-heap.ts';
import {
  findVectorModel,
  readFingerprintChanges,
  readFingerprints,
  readHorizon,
  readSomeFingerprints,
} from './stored-fingerprints.ts';
import type { VectorModel } from './stored-fingerprints.ts';

/** How long changes of fingerprints are kept so that indexes can catch up. */
export const keepChangesHours = 1;
/** An index that has not caught up for this long is rebuilt: well before the changes that it would need are removed. */
const outdatedMs = (keepChangesHours / 2) * 3_600_000;

/** One tenant's index, and the point up to which it has followed the database. */
type Followed = {
  readonly of: Resource;
  readonly index: SimilarityIndex;
  readonly model: VectorModel | null;
  horizon: string;
  open: readonly string[];
  caughtUpAt: number;
  /**
   * How often, since the index was read, a changed record had no vector of the index's model: none at all, or one
   * of another model.
   */
  withoutVector: number;
  /** Searches that use this index now. */
  users: number;
  /** The index was read anew: this one goes with its last user. */
  isReplaced: boolean;
};

/** A tenant's index of images, or of the frames of its videos. */
type Key = `${Resource} ${number}`;

const keyOf = ({ tenantId }: TenantDb, of: Resource): Key => `${of} ${tenantId}`;

/**
 * The indexes of this process, one per tenant and resource that was searched. Each is read from the database
 * when it is first needed, and catches up before every search: everything written by transactions that have
 * ended is in the answer, whichever process wrote it.
 */
export class TenantIndexes {
  readonly #heap: SharedHeap;
  readonly #pool: ScanPool;
  /** Least recently used first. */
  readonly #followed = new Map<Key, Followed>();
  /** Updates in progress: changes of an index are applied in order, one after the other. */
  readonly #opening = new Map<Key, Promise<Followed>>();
  /** How many searches currently use a tenant's index. */
  readonly #users = new Map<Key, number>();

  constructor(budgetBytes: number, threads: number) {
    this.#heap = new SharedHeap(budgetBytes);
    this.#pool = new ScanPool(this.#heap, threads);
  }

  /**
   * Runs work with the tenant's index, brought up to date; it is not evicted meanwhile. `model` is the one whose
   * vectors are in it, null if it has none.
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

  /** How many tenants have an index here now, and how many images are in them. */
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
        // Before the next update can replace it.
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
    await this.#pool.close();
  }

  async #follow(db: TenantDb, of: Resource): Promise<Followed> {
    const key = keyOf(db, of);
    const known = this.#followed.get(key);
    const followed = known === undefined || mustReload(known) ? await this.#read(db, of, known) : known;
    this.#followed.delete(key);
    this.#followed.set(key, followed);
    // If this fails, the index is unchanged, and the next search catches up from the same place.
    return this.#catchUp(db, followed);
  }

  async #read(db: TenantDb, of: Resource, before: Followed | undefined): Promise<Followed> {
    this.#followed.delete(keyOf(db, of));
    if (before !== undefined) {
      before.isReplaced = true;
      clearUnused(before);
    }
    // The horizon first: what changes during the full read is read once more.
    const horizon = await readHorizon(db);
    const model = usable(await findVectorModel(db, of));
    const index = new SimilarityIndex(this.#heap, this.#pool, regionCount, model?.dimensions ?? 0);
    try {
      for await (const page of readFingerprints(db, model, of)) this.#putAll(index, page);
    } catch (error) {
      index.clear();
      throw error;
    }
    const caughtUpAt = Date.now();
    return { of, index, model, horizon, open: [], caughtUpAt, withoutVector: 0, users: 0, isReplaced: false };
  }

  async #catchUp(db: TenantDb, followed: Followed): Promise<Followed> {
    const { horizon, rows, open } = await readFingerprintChanges(db, followed.horizon, followed.open, followed.of);
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
    return followed;
  }

  /**
   * When memory is used up, evicts the index of the tenant that searched longest ago.
   *
   * @throws AppError `unavailable` if all of them are searching now.
   */
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

/** Gives the memory of an index back that was replaced, once no search uses it. */
function clearUnused({ index, users, isReplaced }: Followed): void {
  if (isReplaced && users === 0) index.clear();
}

function mustReload({ index, withoutVector: strangers, caughtUpAt }: Followed): boolean {
  return Date.now() - caughtUpAt > outdatedMs || strangers > index.size / 2;
}

/** Kernels read vectors in steps of 16 bytes. */
function usable(model: VectorModel | null): VectorModel | null {
  return model !== null && model.dimensions % 16 === 0 && model.dimensions <= 4096 ? model : null;
}
