import { LRUCache } from 'lru-cache';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';

/** Maximum number of cached details, at most 7.3 KB each: neighbors are requested again and again. */
const kept = 8_192;

const packedDetails = tenantStatement(
  'duplicate-details',
  `SELECT row_id::text AS id, details FROM image_details WHERE tenant_id = $1 AND row_id = ANY($2::bigint[])`,
);

/** Packed details of records, in memory that threads share. */
export class PackedDetails {
  readonly #db: TenantDb;
  readonly #known = new LRUCache<number, Uint8Array>({ max: kept });

  constructor(db: TenantDb) {
    this.#db = db;
  }

  /** The details of some records; those without any are left out. */
  async read(ids: readonly number[]): Promise<Map<number, Uint8Array>> {
    const found = new Map<number, Uint8Array>();
    const missing: number[] = [];
    for (const id of ids) {
      const known = this.#known.get(id);
      if (known === undefined) missing.push(id);
      else found.set(id, known);
    }
    if (missing.length === 0) return found;
    const { rows } = await this.#db.query<{ id: string; details: Buffer }>(packedDetails, [missing]);
    for (const { id, details } of rows) {
      const shared = new Uint8Array(new SharedArrayBuffer(details.length));
      shared.set(details);
      this.#known.set(Number(id), shared);
      found.set(Number(id), shared);
    }
    return found;
  }
}
