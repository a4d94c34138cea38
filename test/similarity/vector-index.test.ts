import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { countFacets } from '../../src/search/query/facets.ts';
import { resolveSimilarity } from '../../src/search/query/resolve-similarity.ts';
import type { Narrowing } from '../../src/search/query/resolve-similarity.ts';
import { readSearchQuery } from '../../src/search/query/search-query.ts';
import { listRecords, resolveFormula } from '../../src/search/index.ts';
import { TenantIndexes, unrestricted } from '../../src/similarity/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { tenantIdOf } from '../operations/support.ts';
import { full, runsOf, sizeOf } from '../support/effort.ts';
import { noPgvector, pgvectorNote } from '../support/pgvector.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { addEmbedded, buildAll, findNear, numbersFrom, vectorIndexNames, vectorNear } from './embedded.ts';

let world: World;
let db: TenantDb;
/** No page may be read: there is no memory for one, nor for an index. */
let database: TenantIndexes;
let memory: TenantIndexes;

const countries = ['es', 'fr', 'pt', 'de'];
const next = numbersFrom(7);
const centers = Array.from({ length: 30 }, () => vectorNear(null, 60, next));
const pictures = Array.from({ length: sizeOf(1_500, 6_000) }, (_, n) => ({
  id: `p${n}`,
  vector: vectorNear(centers[n % centers.length] ?? null, 20 + (n % 7) * 10, next),
  country: n % 400 === 3 ? 'mt' : (countries[n % 4] as string),
}));

beforeAll(async () => {
  if (noPgvector !== false) return;
  world = await openWorld({ worker: false });
  db = forTenant(world.backing.database, await tenantIdOf(world, await world.client()));
  database = new TenantIndexes(1024 * 1024, 1, { mode: 'database', databaseFrom: 1 });
  memory = new TenantIndexes(64 * 1024 * 1024, 1);
  await addEmbedded(db.pool, db.tenantId, pictures);
  await buildAll(world.backing.database);
});
afterAll(async () => {
  if (noPgvector !== false) return;
  await Promise.all([database.close(), memory.close()]);
  await world.close();
});

const find = (indexes: TenantIndexes, vector: Int8Array, atLeast: number, of = db): ReturnType<typeof findNear> =>
  findNear(indexes, of, vector, atLeast);

/** Records that a formula finds, the most similar first. */
async function list(similar: TenantIndexes, q: string) {
  const options = { resource: 'image', lang: 'ml', mayVerify: true } as const;
  const caller = unrestricted(new AbortController().signal);
  const resolved = await resolveFormula(db, q, options, { similar }, caller);
  const page = { page: 1, limit: 10_000, sortBy: '', sortOrder: 'desc', cursor: null, withCursor: false } as const;
  const { results } = await listRecords(db, resolved, { ...page, properties: ['imageId'] });
  return { resolved, ids: results.map((row) => (row as unknown as { imageId: string }).imageId) };
}

/** Maximum number of records that a term finds by the index. */
const mostFound = 400;

const scans = async () => {
  const { rows } = await db.pool.query<{ scans: number }>(
    `SELECT sum(idx_scan)::int AS scans FROM pg_stat_user_indexes WHERE indexrelname LIKE 'image\\_vectors\\_%'`,
  );
  return rows[0]?.scans ?? 0;
};

describe.skipIf(noPgvector)(`the index of vectors in the database${pgvectorNote}`, () => {
  it('finds what an index in memory finds, with the same similarities', async () => {
    const asked = fc.record({
      near: fc.integer({ min: 0, max: pictures.length - 1 }),
      spread: fc.integer({ min: 0, max: 60 }),
      atLeast: fc.double({ min: 0.2, max: 0.99, noNaN: true }),
    });
    const [first, all] = [
      { expected: 0, found: 0 },
      { expected: 0, found: 0 },
    ];
    await fc.assert(
      fc.asyncProperty(asked, async ({ near, spread, atLeast }) => {
        const vector = vectorNear(pictures[near]?.vector ?? null, spread, numbersFrom(near));
        const expected = await find(memory, vector, atLeast);
        const found = await find(database, vector, atLeast);
        const known = new Map(expected.map(({ id, value }) => [id, value]));
        for (const { id, value } of found) expect({ id, value }).toEqual({ id, value: known.get(id) });
        const ids = new Set(found.map(({ id }) => id));
        for (const [sum, most] of [
          [first, 10],
          [all, mostFound],
        ] as const) {
          sum.expected += expected.slice(0, most).length;
          sum.found += expected.slice(0, most).filter(({ id }) => ids.has(id)).length;
        }
      }),
      { numRuns: runsOf('searches of vectors') },
    );
    // A graph of neighbors may miss some, the nearest hardly ever.
    expect(first.found / first.expected).toBeGreaterThan(0.99);
    expect(all.found / all.expected).toBeGreaterThan(0.97);
  });

  it('is what answers, and holds nothing in the process', async () => {
    await db.pool.query('SELECT pg_stat_force_next_flush()');
    const before = await scans();
    await find(database, pictures[0]?.vector as Int8Array, 0.9);
    await vi.waitFor(async () => expect(await scans()).toBeGreaterThan(before), { timeout: 20_000 });
    expect(database.figures()).toEqual({ tenants: 0, images: 0 });
  });

  it.each(['i~p0', 'i~~p1', 'i~~~p2', 'i~p0 i~~p30', 'i~(p0 p1 -p2)', 'i~p0 OR i~~p1', 'country:es i~p0'])(
    'answers %s as memory does, in the same order',
    async (q) => {
      const expected = await list(memory, q);
      const { ids } = await list(database, q);
      const known = new Set(ids);
      // A graph of neighbors may miss some, and a term finds no more than the nearest.
      expect(ids.length).toBeGreaterThan(0.95 * Math.min(expected.ids.length, mostFound));
      expect(ids).toEqual(expected.ids.filter((id) => known.has(id)));
    },
  );

  const among = (of: TenantDb, country: string, scope: Readonly<{ vector: Int8Array; most?: number }>) =>
    database.search(
      of,
      async (index) => {
        const within = async (parameter: (value: unknown) => string) =>
          `tenant_id = $1 AND country = ${parameter(country)}`;
        const query = { kind: 'vectors', vector: scope.vector, atLeast: -1 } as const;
        const hits = await index.findAlike(query, { ...(scope.most && { most: scope.most }), within });
        return hits.toSorted((a, b) => b.value - a.value || a.id - b.id);
      },
      'image',
      ['vectors'],
    );
  const idsOf = async (of: TenantDb, country: string) => {
    const { rows } = await of.pool.query<{ id: number }>(
      'SELECT row_id AS id FROM image WHERE tenant_id = $1 AND country = $2',
      [of.tenantId, country],
    );
    return new Set(rows.map(({ id }) => id));
  };

  it('finds all of few records that match the rest of the formula, however far they are', async () => {
    const vector = pictures[0]?.vector as Int8Array;
    const ofMalta = await idsOf(db, 'mt');
    expect(ofMalta.size).toBeGreaterThan(2);
    const expected = (await find(memory, vector, -1)).filter(({ id }) => ofMalta.has(id));
    expect(await among(db, 'mt', { vector })).toEqual(expected);
  });

  it('looks on until enough of many records match the rest of the formula', full, async () => {
    const own = forTenant(world.backing.database, await tenantIdOf(world, await world.client()));
    const vector = vectorNear(null, 60, numbersFrom(1), 16);
    const [near, far] = [numbersFrom(2), numbersFrom(3)];
    const nearest = Array.from({ length: 1_500 }, (_, n) => ({
      id: `near${n}`,
      vector: vectorNear(vector, 10, near),
      country: 'fr',
    }));
    const others = Array.from({ length: 20_500 }, (_, n) => ({ id: `far${n}`, vector: vectorNear(vector, 80, far) }));
    for (const some of [nearest, others]) await addEmbedded(own.pool, own.tenantId, some);
    await own.pool.query('ANALYZE image_fingerprint');
    await buildAll(world.backing.database, { databaseFrom: 100 });
    const ofSpain = await idsOf(own, 'es');
    const expected = (await findNear(memory, own, vector, -1)).filter(({ id }) => ofSpain.has(id)).slice(0, 50);
    const found = await among(own, 'es', { vector, most: 50 });
    expect(found.length).toBe(50);
    const known = new Set(found.map(({ id }) => id));
    expect(expected.filter(({ id }) => known.has(id)).length).toBeGreaterThan(45);
  });

  it.each(['i~~~p0 country:mt', 'i~~p0 country:fr', '(country:es OR country:pt) (i~~p0 OR i~~~p1)'])(
    'counts facets of %s without their own field, too',
    async (q) => {
      const facets = async (similar: TenantIndexes) => {
        const { resolved, ids } = await list(similar, q);
        return { ids, facets: await countFacets(db, resolved, ['country'], 'disjunctive') };
      };
      expect(await facets(database)).toEqual(await facets(memory));
    },
  );

  it('is asked about the changed records only where a formula watches', async () => {
    const options = { resource: 'image', lang: 'ml', mayVerify: true } as const;
    const query = readSearchQuery('i~p0', options);
    const resolve = (narrowing: Narrowing) =>
      resolveSimilarity(db, '', query, { similar: database }, unrestricted(new AbortController().signal), narrowing);
    const foundBy = async (narrowing: Narrowing) =>
      [...(await resolve(narrowing)).answers.values()].flatMap(({ found }) => [...found.keys()]);
    const all = await foundBy({});
    expect(all.length).toBeGreaterThan(2);
    const last = all.at(-1) as number;
    expect(await foundBy({ rows: `{${last}}` })).toEqual([last]);
  });

  it('follows each statement that adds, changes or deletes a vector', async () => {
    const vector = vectorNear(null, 60, numbersFrom(99));
    const away = vector.map((value) => -value);
    const rowOf = `row_id = (SELECT row_id FROM image WHERE tenant_id = $1 AND image_id = 'added')`;
    const set = (value: string, ...values: unknown[]) =>
      db.pool.query(`UPDATE image_fingerprint SET ${value} WHERE ${rowOf}`, [db.tenantId, ...values]);
    const statements: readonly [() => Promise<unknown>, found: number][] = [
      [() => addEmbedded(db.pool, db.tenantId, [{ id: 'added', vector }]), 1],
      [() => set('embedding = $2', Buffer.from(away)), 0],
      [() => set('embedding = $2', Buffer.from(vector)), 1],
      [() => set('model_id = NULL'), 0],
      [() => set(`model_id = (SELECT id FROM embedding_model WHERE name = 'test')`), 1],
      [() => set(`embedding = decode(repeat('00', 64), 'hex')`), 0],
      [() => set('embedding = $2', Buffer.from(vector)), 1],
      [() => db.pool.query(`DELETE FROM image WHERE tenant_id = $1 AND image_id = 'added'`, [db.tenantId]), 0],
    ];
    for (const [k, [statement, count]] of statements.entries()) {
      await statement();
      const found = await find(database, vector, 0.95);
      expect({ k, found: found.length }).toEqual({ k, found: count });
      expect(found).toEqual(await find(memory, vector, 0.95));
    }
  });

  it('finds nothing near a vector of zeros, as in memory', async () => {
    expect(await find(database, new Int8Array(64), -1)).toEqual([]);
  });

  it('is that of a single tenant', async () => {
    const other = forTenant(world.backing.database, await tenantIdOf(world, await world.client()));
    const own = vectorNear(null, 60, numbersFrom(5));
    await addEmbedded(db.pool, other.tenantId, [{ id: 'p0', vector: own }]);
    await buildAll(world.backing.database);
    expect(await find(database, own, -1, other)).toEqual([{ id: expect.any(Number), value: expect.closeTo(1) }]);
    expect((await find(database, own, 0.999)).length).toBe(0);
    const names = (await vectorIndexNames(db.pool)).map(({ name }) => name.split('_')[2]);
    expect(names).toEqual(expect.arrayContaining([db, other].map(({ tenantId }) => `${tenantId}`)));
  });

  it('answers with auto from a number of images on, where nothing but vectors is compared', async () => {
    const ask = async (databaseFrom: number, compares?: readonly ['vectors']) => {
      const auto = new TenantIndexes(64 * 2 ** 20, 1, { mode: 'auto', databaseFrom });
      const query = { kind: 'vectors', vector: pictures[0]?.vector as Int8Array, atLeast: 0.999 } as const;
      const found = await auto.search(db, (index) => index.findAlike(query), 'image', compares);
      const { tenants } = auto.figures();
      await auto.close();
      return { found: found.length, isInMemory: tenants === 1 };
    };
    expect(await ask(10, ['vectors'])).toEqual({ found: 1, isInMemory: false });
    expect(await ask(10)).toEqual({ found: 1, isInMemory: true });
    expect(await ask(1_000_000, ['vectors'])).toEqual({ found: 1, isInMemory: true });
  });
});
