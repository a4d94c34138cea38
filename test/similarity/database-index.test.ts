import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillNext } from '../../src/similarity/database/fill-index.ts';
import { pdqDistance, rotateHash, rotations } from '../../src/analysis/index.ts';
import { TenantIndexes } from '../../src/similarity/index.ts';
import type { Query } from '../../src/similarity/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { tenantIdOf } from '../operations/support.ts';
import { sizeOf } from '../support/effort.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { addHashed, flipped, hashOf } from './hashed.ts';

let world: World;
let client: Client;
let db: TenantDb;
/** No page may be read: there is no memory for one, nor for an index. */
let database: TenantIndexes;
let memory: TenantIndexes;

const clusters = sizeOf(40, 400);
const distances = [0, 1, 5, 10, 11, 16, 22, 31, 32, 40, 43, 44];
/** Each base hash with neighbors that differ in so many bits, spread over the hash or side by side. */
const pictures = Array.from({ length: clusters }, (_, n) => n).flatMap((n) =>
  distances.map((bits, k) => ({
    id: `p${n}-${bits}`,
    hash: n % 2 === 0 ? flipped(hashOf(`${n}`), bits, (n * 37) % 256) : scattered(hashOf(`${n}`), bits, n),
    quality: (n * 13 + k * 7) % 101,
  })),
);

function scattered(hash: Uint8Array, bits: number, seed: number): Uint8Array {
  const copy = Uint8Array.from(hash);
  for (let k = 0; k < bits; k += 1) {
    const bit = (k * 83 + seed * 29) % 256; // 83 and 256 have no common factor: no bit comes twice.
    copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  }
  return copy;
}

beforeAll(async () => {
  world = await openWorld({ worker: false });
  client = await world.client();
  db = forTenant(world.backing.database, await tenantIdOf(world, client));
  database = new TenantIndexes(64 * 1024 * 1024, 1, { mode: 'database', databaseFrom: 1 });
  memory = new TenantIndexes(64 * 1024 * 1024, 1);
  await addHashed(world, client, pictures);
  await fill();
});
afterAll(async () => {
  await Promise.all([database.close(), memory.close()]);
  await world.close();
});

async function fill(): Promise<number[]> {
  const filled: number[] = [];
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    const step = await fillNext(world.backing.database, 1);
    if (step === null || step === 'waiting' || step.tenantId !== db.tenantId) continue;
    filled.push(step.filled);
    if (step.isReady) return filled;
  }
  throw new Error('The index was not filled in time');
}

type HashQuery = Extract<Query, { kind: 'hashes' }>;
type Row = { id: number; pdq: Buffer; quality: number };

/** What a comparison with every stored hash finds. */
async function bruteForce({ hashes, atMost, minQuality }: HashQuery) {
  const { rows } = await db.pool.query<Row>(
    `SELECT row_id AS id, pdq, pdq_quality AS quality FROM image_fingerprint
     WHERE tenant_id = $1 AND octet_length(pdq) = 32 AND octet_length(regions) = 160`,
    [db.tenantId],
  );
  const asked = Array.from({ length: hashes.length / 32 }, (_, k) => hashes.subarray(k * 32, (k + 1) * 32));
  return rows
    .map(({ id, pdq, quality }) => ({ id, quality, value: Math.min(...asked.map((hash) => pdqDistance(hash, pdq))) }))
    .filter(({ value, quality }) => value <= atMost && quality >= minQuality)
    .map(({ id, value }) => ({ id, value }))
    .toSorted((a, b) => a.id - b.id);
}

const find = (indexes: TenantIndexes, query: HashQuery, of = db) =>
  indexes.search(of, async (index) => (await index.find(query)).toSorted((a, b) => a.id - b.id));

const near = (seed: string, atMost: number): HashQuery => ({
  kind: 'hashes',
  hashes: hashOf(seed),
  atMost,
  minQuality: 0,
});

describe('the index of hashes in the database', () => {
  it.each([0, 2, 10, 20, 24, 31, 40, 43])(
    'finds what a comparison with every hash finds, within %i bits',
    async (atMost) => {
      for (const seed of ['0', '1', '2', '3', `${clusters - 1}`, 'other']) {
        for (const minQuality of [0, 50]) {
          const query = { ...near(seed, atMost), minQuality };
          const expected = await bruteForce(query);
          expect(await find(database, query)).toEqual(expected);
          expect(await find(memory, query)).toEqual(expected);
        }
      }
      expect((await find(database, near('0', atMost))).length).toBe(distances.filter((bits) => bits <= atMost).length);
    },
  );

  it('finds rotations and flips in one search, each with its least distance', async () => {
    const turned = rotateHash(hashOf('4'), 'rotate90');
    await addHashed(world, client, [{ id: 'turned', hash: turned }]);
    const hashes = Uint8Array.from(rotations.flatMap((rotation) => [...rotateHash(hashOf('4'), rotation)]));
    const query = { ...near('4', 31), hashes };
    const expected = await bruteForce(query);
    expect(expected.length).toBeGreaterThan(distances.filter((bits) => bits <= 31).length);
    expect(await find(database, query)).toEqual(expected);
  });

  it('answers as page by page beyond the distances that it knows', async () => {
    const query = near('5', 60);
    expect(await find(database, query)).toEqual(await bruteForce(query));
  });

  it('follows each statement that adds, changes or deletes a fingerprint', async () => {
    const run = (text: string, ...values: unknown[]) => db.pool.query(text, [db.tenantId, ...values]);
    const rowOf = `row_id = (SELECT row_id FROM image WHERE tenant_id = $1 AND image_id = $2)`;
    const statements = [
      () => addHashed(world, client, [{ id: 'added', hash: flipped(hashOf('6'), 3) }]),
      () => run(`UPDATE image_fingerprint SET pdq = $3 WHERE ${rowOf}`, 'added', Buffer.from(hashOf('away'))),
      () => run(`UPDATE image_fingerprint SET pdq = $3 WHERE ${rowOf}`, 'added', Buffer.from(hashOf('6'))),
      () => run(`UPDATE image_fingerprint SET pdq_quality = 3 WHERE ${rowOf}`, 'added'),
      () => run(`UPDATE image_fingerprint SET regions = NULL WHERE ${rowOf}`, 'added'),
      () => run(`UPDATE image_fingerprint SET regions = decode(repeat('00', 160), 'hex') WHERE ${rowOf}`, 'added'),
      () => run(`DELETE FROM image_fingerprint WHERE ${rowOf}`, 'p6-1'),
      () => run('DELETE FROM image WHERE tenant_id = $1 AND image_id = $2', 'p6-5'),
    ];
    for (const [k, statement] of statements.entries()) {
      await statement();
      const expected = await bruteForce(near('6', 31));
      expect({ k, found: await find(database, near('6', 31)) }).toEqual({ k, found: expected });
    }
    const { rows } = await run(
      `SELECT count(*)::int AS count FROM fingerprint_hash h
       WHERE tenant_id = $1 AND NOT EXISTS (SELECT FROM image_fingerprint f WHERE f.row_id = h.row_id)`,
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  it('is that of a single tenant', async () => {
    const other = forTenant(world.backing.database, await tenantIdOf(world, await world.client()));
    expect(await find(database, near('0', 31), other)).toEqual([]);
  });

  it('misses nothing that was being written when it began, and can be filled in steps', async () => {
    const late = await world.client();
    const own = forTenant(world.backing.database, await tenantIdOf(world, late));
    await addHashed(world, late, [
      { id: 'before', hash: hashOf('x') },
      { id: 'changed', hash: hashOf('y') },
    ]);
    const [beginner, writer] = [await db.pool.connect(), await db.pool.connect()];
    try {
      await beginner.query('BEGIN');
      await beginner.query('INSERT INTO fingerprint_index (tenant_id) VALUES ($1)', [own.tenantId]);
      await writer.query('BEGIN');
      await writer.query('UPDATE image_fingerprint SET pdq = $2 WHERE tenant_id = $1 AND pdq = $3', [
        own.tenantId,
        Buffer.from(flipped(hashOf('x'), 4)),
        Buffer.from(hashOf('y')),
      ]);
      // Its trigger saw no index, so filling waits for it.
      await beginner.query('COMMIT');
      for (let k = 0; k < 3; k += 1) expect(await fillNext(world.backing.database, 1)).toBe('waiting');
      await writer.query('COMMIT');
    } finally {
      beginner.release();
      writer.release();
    }
    const before = db;
    db = own;
    try {
      const filled = await fill();
      expect(filled.at(-1)).toBe(2);
      expect((await find(database, near('x', 31))).map(({ value }) => value)).toEqual([0, 4]);
    } finally {
      db = before;
    }
  });

  it('answers with auto from a number of images on, where nothing but hashes is compared', async () => {
    const ask = async (databaseFrom: number, compares?: readonly ['hashes']) => {
      const auto = new TenantIndexes(64 * 2 ** 20, 1, { mode: 'auto', databaseFrom });
      const found = await auto.search(db, (index) => index.find(near('0', 31)), 'image', compares);
      const { tenants } = auto.figures();
      await auto.close();
      return { found: found.length, isInMemory: tenants === 1 };
    };
    const found = distances.filter((bits) => bits <= 31).length;
    expect(await ask(10, ['hashes'])).toEqual({ found, isInMemory: false });
    expect(await ask(10)).toEqual({ found, isInMemory: true });
    expect(await ask(1_000_000, ['hashes'])).toEqual({ found, isInMemory: true });
  });

  it('answers for many pictures in a row without an index in memory', async () => {
    const hits = await database.searchHashes(db, (index) => index.find(near('0', 31)));
    expect(hits.length).toBe(distances.filter((bits) => bits <= 31).length);
    expect(database.figures()).toEqual({ tenants: 0, images: 0 });
  });
});
