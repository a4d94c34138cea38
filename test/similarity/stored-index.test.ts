import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { regionCount } from '../../src/analysis/index.ts';
import type { Query } from '../../src/similarity/index.ts';
import { TenantIndexes } from '../../src/similarity/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { tenantIdOf } from '../operations/support.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

let world: World;
let memory: TenantIndexes;
let database: TenantIndexes;
let db: TenantDb;

/** A page and a bit, some without a vector, some without hashes. */
const rows = 10_500;
const fill = `
  WITH added AS (
    INSERT INTO image (tenant_id, image_id, keywords, categories, collections, width, height, lang, format, byte_size, checksum)
    SELECT $1, 'p' || n, '{}', '{}', '{}', 10, 10, 'en', 'jpeg', 1, sha256((n / 3)::text::bytea)
    FROM generate_series(1, $2::int) AS n RETURNING row_id, checksum, image_id)
  INSERT INTO image_fingerprint (row_id, tenant_id, pdq, pdq_quality, regions, embedding, model_id)
  SELECT row_id, $1, CASE WHEN row_id % 11 > 0 THEN sha256(checksum) END, row_id % 101,
         decode(repeat(encode(sha256(checksum), 'hex'), 5), 'hex'),
         CASE WHEN row_id % 7 > 0 THEN decode(repeat(encode(sha256(image_id::bytea), 'hex'), 4), 'hex') END,
         CASE WHEN row_id % 7 > 0 THEN $3::smallint END FROM added`;

beforeAll(async () => {
  world = await openWorld({ worker: false });
  memory = new TenantIndexes(64 * 1024 * 1024, 1);
  database = new TenantIndexes(1024 * 1024, 1, { mode: 'database', databaseFrom: 10_000 });
  db = forTenant(world.backing.database, await tenantIdOf(world, await world.client()));
  const model = await db.pool.query<{ id: number }>(
    `INSERT INTO embedding_model (name) VALUES ('test') ON CONFLICT (name) DO UPDATE SET name = EXCLUDED.name RETURNING id`,
  );
  await db.pool.query(fill, [db.tenantId, rows, model.rows[0]?.id]);
});
afterAll(async () => {
  await Promise.all([memory.close(), database.close()]);
  await world.close();
});

const bytes = (length: number, seed: number) => Uint8Array.from({ length }, (_, k) => (k * 89 + seed * 57) % 256);
const vector = (seed: number) => Int8Array.from(bytes(128, seed));
const queries: Readonly<Record<string, Query>> = {
  'hashes within half of their bits': { kind: 'hashes', hashes: bytes(32, 1), atMost: 118, minQuality: 0 },
  'hashes of eight rotations': { kind: 'hashes', hashes: bytes(256, 2), atMost: 112, minQuality: 50 },
  'hashes of parts': {
    kind: 'regions',
    hashes: bytes(regionCount * 8, 3),
    counts: Array.from({ length: regionCount }, () => 1),
    atMost: 18,
    minQuality: 0,
  },
  vectors: { kind: 'vectors', vector: vector(4), atLeast: 0.1 },
};

const find = (indexes: TenantIndexes, query: Query) =>
  indexes.search(db, async (index) => {
    const hits = await index.find(query);
    return hits.toSorted((a, b) => a.id - b.id);
  });

describe('fingerprints in the database', () => {
  for (const [what, query] of Object.entries(queries)) {
    it(`are found as those in memory are: ${what}`, async () => {
      const found = await find(database, query);
      expect(found.length).toBeGreaterThan(0);
      expect(found).toEqual(await find(memory, query));
    });
  }

  it('are read as they are in memory', async () => {
    const ids = (await find(memory, queries['vectors'] as Query)).slice(0, 20).map(({ id }) => id);
    const read = (indexes: TenantIndexes) =>
      indexes.search(db, async (index) => {
        await index.load(ids);
        const rows = ids.map((id) => {
          const { hashes = null, vector = null } = index.get(id) ?? {};
          return [index.has(id), hashes && { ...hashes, pdq: [...hashes.pdq], regions: [...hashes.regions] }, vector];
        });
        return { of: index.layout.dimensions, rows };
      });
    expect(await read(database)).toEqual(await read(memory));
  });

  it('take no memory of the budget', async () => {
    expect(database.figures()).toEqual({ tenants: 0, images: 0 });
  });

  it('answer with auto where memory has no room, and again at once', async () => {
    const auto = new TenantIndexes(1024 * 1024, 1, { mode: 'auto', databaseFrom: 1_000_000 });
    const query = queries['vectors'] as Query;
    const expected = await find(memory, query);
    expect(await Promise.all([find(auto, query), find(auto, query), find(auto, query)])).toEqual(
      Array.from({ length: 3 }, () => expected),
    );
    await auto.close();
  });

  it('include what was written before a search', async () => {
    const before = (await find(database, queries['vectors'] as Query)).map(({ id }) => id);
    await db.pool.query('DELETE FROM image_fingerprint WHERE row_id = $1', [before[0]]);
    const after = (await find(database, queries['vectors'] as Query)).map(({ id }) => id);
    expect(after).toEqual(before.slice(1));
  });

  it('are for searches of a single tenant', async () => {
    const other = forTenant(world.backing.database, await tenantIdOf(world, await world.client()));
    const all = { kind: 'hashes', hashes: new Uint8Array(32), atMost: 256, minQuality: 0 } as const;
    expect(await database.search(other, (index) => index.find(all))).toEqual([]);
  });
});
