import { LRUCache } from 'lru-cache';
import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { readFingerprintIndex } from './fingerprint-index.ts';
import type { FingerprintIndex } from './fingerprint-index.ts';

/** How long a tenant is remembered to have no index: one that is filled in the meantime is used this much later. */
const absentMs = 30_000;
const kept = 10_000;

/** The indexes of tenants in the database. */
export class KnownIndexes {
  readonly #absent = new LRUCache<number, true>({ max: kept, ttl: absentMs });

  /** Returns null if there is none; frames of videos never have one. */
  async read(db: TenantDb, of: Resource): Promise<FingerprintIndex | null> {
    if (of !== 'image' || this.#absent.has(db.tenantId)) return null;
    const index = await readFingerprintIndex(db);
    if (index === null) this.#absent.set(db.tenantId, true);
    return index;
  }
}
