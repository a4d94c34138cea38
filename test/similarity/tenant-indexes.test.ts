import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantIndexes } from '../../src/similarity/index/tenant-indexes.ts';
import type { SimilarityIndex } from '../../src/similarity/index/similarity-index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { tenantIdOf } from '../operations/support.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: World;
let indexes: TenantIndexes;

beforeAll(async () => {
  world = await openWorld({ worker: false });
  indexes = new TenantIndexes(64 * 1024 * 1024, 1);
});
afterAll(async () => {
  await indexes.close();
  await world.close();
});

const fill = `
  WITH added AS (
    INSERT INTO image (tenant_id, image_id, keywords, categories, collections, width, height, lang, format, byte_size, checksum)
    SELECT $1, 'p' || n, '{}', '{}', '{}', 10, 10, 'en', 'jpeg', 1, sha256(n::text::bytea)
    FROM generate_series($2::int, $3::int) AS n RETURNING row_id, checksum)
  INSERT INTO image_fingerprint (row_id, tenant_id, pdq, pdq_quality, regions, embedding, model_id)
  SELECT row_id, $1, checksum, 80, decode(repeat(encode(checksum, 'hex'), 5), 'hex'),
         decode(repeat(encode(checksum, 'hex'), 4), 'hex'), $4 FROM added`;

async function tenant(): Promise<{ db: TenantDb; add: (from: number, to: number) => Promise<void> }> {
  const client = await world.client();
  const db = forTenant(world.backing.database, await tenantIdOf(world, client));
  const { rows } = await db.pool.query<{ id: number }>(
    `INSERT INTO embedding_model (name) VALUES ('test') ON CONFLICT (name) DO UPDATE SET name = EXCLUDED.name RETURNING id`,
  );
  return {
    db,
    add: async (from, to) => void (await db.pool.query(fill, [db.tenantId, from, to, rows[0]?.id])),
  };
}

const all = { kind: 'hashes', hashes: new Uint8Array(32), atMost: 256, minQuality: 0 } as const;
const size = (db: TenantDb) => indexes.use(db, async (index: SimilarityIndex) => (await index.find(all)).length);

describe("a tenant's fingerprints in memory", () => {
  it('are those of the database, hashes, parts and vectors', async () => {
    const { db, add } = await tenant();
    await add(1, 25_000);
    expect(await size(db)).toBe(25_000);
    type Row = { id: string; pdq: Buffer; regions: Buffer; embedding: Buffer };
    const { rows } = await db.pool.query<Row>(
      `SELECT row_id AS id, pdq, regions, embedding FROM image_fingerprint WHERE tenant_id = $1 ORDER BY row_id DESC LIMIT 50`,
      [db.tenantId],
    );
    await indexes.use(db, async (index) => {
      for (const { id, pdq, regions, embedding } of rows) {
        const kept = index.get(Number(id));
        expect(Buffer.from(kept?.hashes?.pdq ?? [])).toEqual(pdq);
        expect(Buffer.from(kept?.hashes?.regions ?? [])).toEqual(regions);
        expect(Buffer.from(kept?.vector?.buffer ?? new ArrayBuffer())).toEqual(embedding);
      }
    });
  });

  it('follow what is added, changed and deleted, as soon as it is committed', async () => {
    const { db, add } = await tenant();
    await add(1, 100);
    expect(await size(db)).toBe(100);
    await add(101, 150);
    expect(await size(db)).toBe(150);
    await db.pool.query("DELETE FROM image WHERE tenant_id = $1 AND image_id = ANY('{p1,p2,p150}')", [db.tenantId]);
    expect(await size(db)).toBe(147);
    await db.pool.query('UPDATE image_fingerprint SET pdq = $2 WHERE tenant_id = $1', [db.tenantId, Buffer.alloc(32)]);
    const near = await indexes.use(db, (index) => index.find({ ...all, atMost: 0 }));
    expect(near.length).toBe(147);
  });

  it('miss nothing of transactions that end in another order than they began', async () => {
    const { db, add } = await tenant();
    await add(1, 10);
    expect(await size(db)).toBe(10);
    const slow = await db.pool.connect();
    try {
      await slow.query('BEGIN');
      // As analyses do beside each other; adding and removing records of a tenant takes turns.
      await slow.query(
        `DELETE FROM image_fingerprint WHERE tenant_id = $1
         AND row_id = (SELECT row_id FROM image WHERE tenant_id = $1 AND image_id = $2)`,
        [db.tenantId, 'p1'],
      );
      await add(11, 20);
      expect(await size(db)).toBe(20);
      await add(21, 30);
      expect(await size(db)).toBe(30);
      await slow.query('COMMIT');
      expect(await size(db)).toBe(29);
    } finally {
      slow.release();
    }
  });

  it('are the own tenant’s alone', async () => {
    const [one, two] = [await tenant(), await tenant()];
    await one.add(1, 30);
    await two.add(1, 7);
    expect([await size(one.db), await size(two.db)]).toEqual([30, 7]);
  });

  it('stay whole for a search that goes on while they are read anew, and then give their memory back', async () => {
    const few = new TenantIndexes(2 * 1024 * 1024, 1);
    const { db, add } = await tenant();
    await add(1, 1000);
    const without =
      'UPDATE image_fingerprint SET embedding = NULL, model_id = NULL, pdq_quality = 80 WHERE tenant_id = $1';
    const count = () => few.use(db, async (index) => (await index.find(all)).length);
    for (let round = 0; round < 10; round += 1) {
      const during = await few.use(db, async (index) => {
        await db.pool.query(without, [db.tenantId]);
        const others = [await count(), await count()];
        return [...others, (await index.find(all)).length];
      });
      expect(during).toEqual([1000, 1000, 1000]);
    }
    await few.close();
  });

  it('give way to those of a tenant that searches now, and are read again when they are asked for', async () => {
    const few = new TenantIndexes(1024 * 1024, 1);
    const [one, two] = [await tenant(), await tenant()];
    await one.add(1, 1200);
    await two.add(1, 1500);
    const count = ({ db }: { db: TenantDb }) => few.use(db, async (index) => (await index.find(all)).length);
    for (let round = 0; round < 3; round += 1) expect([await count(one), await count(two)]).toEqual([1200, 1500]);
    expect(await Promise.all([count(one), count(one)])).toEqual([1200, 1200]);
    await few.close();
  });

  it('beyond the memory for them are refused with a hint, and take none from others', full, async () => {
    const few = new TenantIndexes(1024 * 1024, 1);
    const [large, small] = [await tenant(), await tenant()];
    await large.add(1, 3500);
    await small.add(1, 1200);
    const count = ({ db }: { db: TenantDb }) => few.use(db, async (index) => (await index.find(all)).length);
    const refusal = { code: 'unavailable', details: { hint: expect.stringMatching('SIMILARITY_MEMORY') } };
    for (let round = 0; round < 3; round += 1) {
      await expect(count(large)).rejects.toMatchObject(refusal);
      expect(await count(small)).toBe(1200);
    }
    // What is added to an index that was read before needs room as well.
    await small.add(1201, 3500);
    await expect(count(small)).rejects.toMatchObject(refusal);
    await few.close();
  });
});
