import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillNext } from '../../src/similarity/database/fill-index.ts';
import { rebuildParts } from '../../src/similarity/database/rebuild-parts.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { TenantIndexes } from '../../src/similarity/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import { tenantIdOf } from '../operations/support.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { addHashed, flipped, hashOf } from './hashed.ts';

const hashes = 4_000;
const parts = 11;

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld({ worker: false });
  client = await world.client();
  await add(0, hashes);
});
afterAll(() => world.close());

/** Adds pictures, and copies their hashes to the index. */
async function add(from: number, count: number): Promise<void> {
  const pictures = Array.from({ length: count }, (_, n) => ({ id: `p${from + n}`, hash: hashOf(`${from + n}`) }));
  await addHashed(world, client, pictures);
  const deadline = Date.now() + 20_000;
  while ((await fillNext(world.backing.database, 1)) !== null) {
    if (Date.now() > deadline) throw new Error('The index was not filled in time');
  }
  await world.backing.database.pool.query('ANALYZE fingerprint_hash');
}

const rebuild = (signal = new AbortController().signal, leastRows = hashes) =>
  rebuildParts({ database: world.backing.database, logger: createLogger('silent'), signal, leastRows });

type PartIndex = Readonly<{ name: string; file: number; bytes: number; comment: string | null }>;

async function partIndexes(): Promise<PartIndex[]> {
  const { rows } = await world.backing.database.pool.query<PartIndex>(`
    SELECT relname AS name, relfilenode::int AS file, pg_relation_size(oid)::int AS bytes, obj_description(oid) AS comment
    FROM pg_class WHERE relname LIKE 'fingerprint\\_hash\\_part\\_%' ORDER BY oid`);
  return rows;
}

const bytesOf = (indexes: readonly PartIndex[]) => indexes.reduce((sum, { bytes }) => sum + bytes, 0);
const filesOf = (indexes: readonly PartIndex[]) => indexes.map(({ file }) => file);

/** Ids of the images whose hash is near another one's. */
async function found(): Promise<number> {
  const indexes = new TenantIndexes(2 ** 26, 1, { mode: 'database', databaseFrom: 1 });
  const db = forTenant(world.backing.database, await tenantIdOf(world, client));
  const near = Array.from({ length: 20 }, (_, n) => flipped(hashOf(`${n * 7}`), 9));
  const query = { kind: 'hashes', hashes: Buffer.concat(near), atMost: 31, minQuality: 0 } as const;
  const hits = await indexes.search(db, (index) => index.find(query), 'image', ['hashes']);
  await indexes.close();
  return hits.length;
}

describe('The indexes over parts of hashes', () => {
  it('are left alone in a catalog that is too small to gain', async () => {
    const before = await partIndexes();
    expect(await rebuild(undefined, hashes + 1)).toBe(0);
    expect(await partIndexes()).toEqual(before);
  });

  it('are rebuilt once, take less room, and find the same', async () => {
    const before = await partIndexes();
    expect(await found()).toBe(20);
    expect(await rebuild()).toBe(parts);
    const after = await partIndexes();
    expect(bytesOf(after)).toBeLessThan(bytesOf(before) * 0.9);
    expect(after.map(({ comment }) => comment)).toEqual(after.map(() => `rebuilt with ${hashes} rows`));
    expect(await found()).toBe(20);
    expect(await rebuild()).toBe(0);
    expect(filesOf(await partIndexes())).toEqual(filesOf(after));
  });

  it('are rebuilt again when there are a quarter more hashes, not before', async () => {
    await add(hashes, hashes / 5);
    expect(await rebuild()).toBe(0);
    await add(hashes * 1.2, hashes / 10);
    expect(await rebuild()).toBe(parts);
  });

  it('lose what an interrupted rebuild has left, and only the missing ones are rebuilt', async () => {
    const { pool } = world.backing.database;
    await pool.query(`COMMENT ON INDEX fingerprint_hash_part_3 IS NULL`);
    await pool.query('CREATE INDEX fingerprint_hash_part_3_ccnew ON fingerprint_hash (tenant_id)');
    expect((await partIndexes()).length).toBe(parts + 1);
    expect(await rebuild()).toBe(1);
    expect((await partIndexes()).map(({ name }) => name).filter((name) => name.includes('cc'))).toEqual([]);
  });

  it('are not rebuilt by a service that is closing', async () => {
    await world.backing.database.pool.query(`COMMENT ON INDEX fingerprint_hash_part_3 IS NULL`);
    expect(await rebuild(AbortSignal.abort())).toBe(0);
    expect(await rebuild()).toBe(1);
  });
});
