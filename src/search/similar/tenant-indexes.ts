import type { TenantDb } from '../../tenants/index.ts';
import { regionCount } from '../../vision/index.ts';
import type { Fingerprint } from './memory/similarity-index.ts';
import { SimilarityIndex } from './memory/similarity-index.ts';
import { ScanPool } from './memory/scan-pool.ts';
import { SharedHeap } from './memory/shared-heap.ts';
import {
  findVectorModel,
  forgetOldChanges,
  readChanges,
  readFingerprints,
  readHorizon,
  readSomeFingerprints,
} from './stored-fingerprints.ts';
import type { VectorModel } from './stored-fingerprints.ts';

/** Changes are kept for an hour; an index that did not catch up for so long is read anew. */
const forgottenMs = 30 * 60_000;
const forgetEveryMs = 10 * 60_000;

/** One tenant's index, and up to where it has followed the database. */
type Followed = {
  readonly index: SimilarityIndex;
  readonly model: VectorModel | null;
  horizon: string;
  open: readonly string[];
  caughtUpAt: number;
  forgotAt: number;
  /** Vectors that came of another model than the index is of. */
  strangers: number;
};

/**
 * The indexes of this process, one for each tenant that searched. Each is read from the database
 * when it is first asked for, and catches up with it before every search: what was written and has
 * ended before is in the answer, whichever process wrote it.
 */
export class TenantIndexes {
  readonly #heap: SharedHeap;
  readonly #pool: ScanPool;
  /** The one used last stands last. */
  readonly #followed = new Map<number, Promise<Followed>>();
  /** How many work with a tenant's index right now. */
  readonly #users = new Map<number, number>();

  constructor(budgetBytes: number, threads: number) {
    this.#heap = new SharedHeap(budgetBytes);
    this.#pool = new ScanPool(this.#heap, threads);
  }

  /** Works with the tenant's index as the database is now; it is not given up meanwhile. */
  async use<T>(db: TenantDb, work: (index: SimilarityIndex) => Promise<T>): Promise<T> {
    const { tenantId } = db;
    this.#users.set(tenantId, (this.#users.get(tenantId) ?? 0) + 1);
    try {
      return await work((await this.#upToDate(db)).index);
    } finally {
      const left = (this.#users.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#users.delete(tenantId);
      else this.#users.set(tenantId, left);
    }
  }

  /** How many tenants' indexes there are now, and images in those that are read. */
  async figures(): Promise<Readonly<{ tenants: number; images: number }>> {
    const waiting = Promise.resolve(null);
    // Who is not there at once is being read, and would be waited for.
    const known = await Promise.all([...this.#followed.values()].map((each) => Promise.race([each, waiting])));
    return { tenants: known.length, images: known.reduce((sum, each) => sum + (each?.index.size ?? 0), 0) };
  }

  #upToDate(db: TenantDb): Promise<Followed> {
    const known = this.#followed.get(db.tenantId);
    // One after the other: changes of an index are applied in their order.
    const next = (known ?? Promise.resolve(null)).catch(() => null).then((followed) => this.#follow(db, followed));
    this.#followed.delete(db.tenantId);
    this.#followed.set(db.tenantId, next);
    return next;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#followed.values());
    this.#followed.clear();
    await this.#pool.close();
  }

  async #follow(db: TenantDb, followed: Followed | null): Promise<Followed> {
    if (followed !== null) {
      const isForgotten = Date.now() - followed.caughtUpAt > forgottenMs;
      const isStrange = followed.strangers > followed.index.size / 2;
      if (!isForgotten && !isStrange) return catchUp(db, followed);
      followed.index.clear();
    }
    return this.#read(db);
  }

  async #read(db: TenantDb): Promise<Followed> {
    // First the horizon: what changes while all is read is read once more.
    const horizon = await readHorizon(db);
    const model = await findVectorModel(db);
    const index = new SimilarityIndex(this.#heap, this.#pool, regionCount, usable(model)?.dimensions ?? 0);
    try {
      for await (const page of readFingerprints(db, usable(model))) await this.#putAll(index, page);
    } catch (error) {
      index.clear();
      throw error;
    }
    const now = Date.now();
    const followed = { index, model: usable(model), horizon, open: [], caughtUpAt: now, forgotAt: now, strangers: 0 };
    return catchUp(db, followed);
  }

  /** Where memory is used up, the tenant that searched longest ago gives up its own. */
  async #putAll(index: SimilarityIndex, page: readonly Fingerprint[]): Promise<void> {
    for (const fingerprint of page) {
      while (!this.#heap.hasRoom(index.layout.blockBytes)) {
        const idle = [...this.#followed.keys()].find((id) => !this.#users.has(id));
        if (idle === undefined) break;
        const given = await this.#followed.get(idle)?.catch(() => null);
        // Somebody may have come back to it while we waited.
        if (this.#users.has(idle)) continue;
        this.#followed.delete(idle);
        given?.index.clear();
      }
      index.put(fingerprint);
    }
  }
}

/** Kernels read vectors in steps of 16 bytes. */
function usable(model: VectorModel | null): VectorModel | null {
  return model !== null && model.dimensions % 16 === 0 && model.dimensions <= 4096 ? model : null;
}

async function catchUp(db: TenantDb, followed: Followed): Promise<Followed> {
  const { horizon, rows, open } = await readChanges(db, followed.horizon, followed.open);
  if (rows.length > 0) {
    const found = new Map((await readSomeFingerprints(db, followed.model, rows)).map((each) => [each.id, each]));
    for (const id of rows) {
      const fingerprint = found.get(id);
      if (fingerprint === undefined) followed.index.remove(id);
      else followed.index.put(fingerprint);
      if (fingerprint?.vector === null) followed.strangers += 1;
    }
  }
  followed.horizon = horizon;
  followed.open = open;
  followed.caughtUpAt = Date.now();
  if (followed.caughtUpAt - followed.forgotAt > forgetEveryMs) {
    followed.forgotAt = followed.caughtUpAt;
    await forgetOldChanges(db);
  }
  return followed;
}
