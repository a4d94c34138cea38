import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { mergeAllTotals } from '../../src/operations/merge-totals.ts';
import { countFacets, countRecords, facetsOf, readSearchQuery, searchFacetValues } from '../../src/search/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { openClone } from '../support/database.ts';
import type { OpenClone } from '../support/database.ts';
import { runsOf } from '../support/effort.ts';

/** Without workers: they merge changes when they like. */
let clone: OpenClone;
let db: TenantDb;
let made = 0;
const kind = 'image';
const pool = () => clone.database.pool;

beforeAll(async () => {
  clone = await openClone(inject('postgresUrl'));
});
afterAll(() => clone.close());
beforeEach(async () => {
  db = await newTenant();
});

async function newTenant(): Promise<TenantDb> {
  made += 1;
  const id = 1 + made; // The clone has the first.
  await pool().query('INSERT INTO tenant (id, name) VALUES ($1, $2)', [id, `facets-${id}`]);
  return forTenant(clone.database, id);
}

const ask = (q: string) => readSearchQuery(q, { resource: kind, lang: 'ml', mayVerify: false });

/** What triggers keep of all records, and what is counted one by one. */
async function bothWays(of = db) {
  const names = facetsOf(kind);
  return [await countFacets(of, ask(''), names, 'conjunctive'), await countFacets(of, ask('width:1..'), names, 'conjunctive')] as const; // prettier-ignore
}

type Values = Readonly<{
  country: string | null;
  event: string | null;
  keywords: readonly string[] | null;
  collections: readonly string[] | null;
  nsfw: boolean | null;
  bw: boolean | null;
  width: number;
}>;

const text = fc.oneof(fc.constantFrom('', 'Spain', 'spain', 'España', "d'Ivoire", 'x'.repeat(9_000)), fc.string({ maxLength: 5 }).map((each) => each.replaceAll('\0', ''))); // prettier-ignore
const list = fc.option(fc.array(fc.constantFrom('', 'dog', 'Dog', 'cat', 'a,b', '{}'), { maxLength: 4 }));
const truth = fc.option(fc.boolean());
const values: fc.Arbitrary<Values> = fc.record({ country: fc.option(text), event: fc.option(text), keywords: list, collections: list, nsfw: truth, bw: truth, width: fc.constantFrom(50, 100, 300) }); // prettier-ignore

/** A statement over several records at once, or a merge of what the ones before it have changed. */
type Step =
  | Readonly<{ step: 'insert'; rows: readonly Values[] }>
  | Readonly<{ step: 'update'; of: number; to: Values }>
  | Readonly<{ step: 'delete'; of: number }>
  | Readonly<{ step: 'merge' }>;

const steps = fc.array(
  fc.oneof(
    fc.record({ step: fc.constant('insert' as const), rows: fc.array(values, { minLength: 1, maxLength: 5 }) }),
    fc.record({ step: fc.constant('update' as const), of: fc.nat(4), to: values }),
    fc.record({ step: fc.constant('delete' as const), of: fc.nat(4) }),
    fc.record({ step: fc.constant('merge' as const) }),
  ),
  { maxLength: 12 },
);

const columns =
  'country text, event text, keywords text[], collections text[], nsfw boolean, bw boolean, width integer';
const names = 'country, event, keywords, collections, nsfw, bw, width';
const insert = `INSERT INTO image (tenant_id, image_id, ${names}, height, lang, format, byte_size, checksum)
  SELECT $1, gen_random_uuid()::text, ${names}, 100, 'en', 'jpeg', 1, '' FROM jsonb_to_recordset($2) AS r (${columns})`;
const update = `UPDATE image SET (${names}) = (SELECT ${names} FROM jsonb_to_record($2) AS r (${columns}))
  WHERE tenant_id = $1 AND row_id % 5 = $3`;

async function take(step: Step): Promise<void> {
  const { tenantId } = db;
  if (step.step === 'insert') await pool().query(insert, [tenantId, JSON.stringify(step.rows)]);
  if (step.step === 'update') await pool().query(update, [tenantId, JSON.stringify(step.to), step.of]);
  if (step.step === 'delete') await pool().query('DELETE FROM image WHERE tenant_id = $1 AND row_id % 5 = $2', [tenantId, step.of]); // prettier-ignore
  if (step.step === 'merge') await mergeAllTotals(clone.database);
}

const rowsOf = async (table: string) =>
  (await pool().query(`SELECT * FROM ${table} WHERE tenant_id = $1`, [db.tenantId])).rowCount;
const row: Values = { country: 'Spain', event: null, keywords: ['dog'], collections: [], nsfw: null, bw: true, width: 50 }; // prettier-ignore

describe('the facets of all records', () => {
  it('are what counting the records gives, after any statements and merges', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        db = await newTenant();
        for (const step of all) await take(step);
        const [kept, counted] = await bothWays();
        expect(kept).toEqual(counted);
      }),
      { numRuns: runsOf('values') },
    );
  });

  it('have no empty elements of lists; null counts the records that no:keywords finds', async () => {
    const rows = [['', 'dog'], [''], [], null].map((keywords) => ({ ...row, keywords }));
    await take({ step: 'insert', rows });
    for (const facets of await bothWays()) {
      const keywords = facets.find(({ name }) => name === 'keywords');
      expect(keywords?.values).toEqual([
        { value: null, count: 2 },
        { value: 'dog', count: 1 },
      ]);
    }
    expect(await countRecords(db, await ask('no:keywords'))).toBe(2);
  });

  it('are right for readers while writes and merges go on', async () => {
    let isOver = false;
    const merging = (async () => {
      while (!isOver) await mergeAllTotals(clone.database);
    })();
    const writers = Array.from({ length: 3 }, async () => {
      for (let n = 0; n < 15; n += 1) await take({ step: 'insert', rows: [row, row] });
    });
    const writing = Promise.all(writers).finally(() => (isOver = true));
    while (!isOver) {
      // One statement each: whatever has been written until then, each record has one country.
      const [country, bw] = await countFacets(db, ask(''), ['country', 'bw'], 'conjunctive');
      for (const facet of [country, bw]) expect(facet?.values.filter(({ value }) => value === null)).toEqual([]);
    }
    await Promise.all([writing, merging]);
    const [kept, counted] = await bothWays();
    expect(kept).toEqual(counted);
    expect(kept.find(({ name }) => name === 'country')?.values).toEqual([{ value: 'Spain', count: 90 }]);
  });

  it('leave no changes behind a merge, and no values that no record has', async () => {
    await take({ step: 'insert', rows: [row] });
    expect(await rowsOf('facet_change')).toBe(1);
    await take({ step: 'merge' });
    expect([await rowsOf('facet_change'), await rowsOf('facet_total')]).toEqual([0, 5]);
    await pool().query('DELETE FROM image WHERE tenant_id = $1', [db.tenantId]);
    await take({ step: 'merge' });
    expect([await rowsOf('facet_change'), await rowsOf('facet_total')]).toEqual([0, 0]);
  });

  it('are merged in parts after very many statements', async () => {
    for (let n = 0; n < 201; n += 1) await take({ step: 'insert', rows: [row] });
    await take({ step: 'merge' });
    expect(await rowsOf('facet_change')).toBe(0);
    const [kept, counted] = await bothWays();
    expect(kept).toEqual(counted);
  });

  it('record nothing for a statement that changes no value of a facet', async () => {
    await take({ step: 'insert', rows: [row] });
    await take({ step: 'merge' });
    await pool().query(`UPDATE image SET title = 'Another' WHERE tenant_id = $1`, [db.tenantId]);
    expect(await rowsOf('facet_change')).toBe(0);
  });

  it('complete what is typed, with the same counts', async () => {
    await take({ step: 'insert', rows: [row, row, { ...row, country: 'Sweden' }, { ...row, country: null }] });
    for (const merged of [false, true]) {
      if (merged) await take({ step: 'merge' });
      const found = await searchFacetValues(db, ask(''), { name: 'country', text: 'S', limit: 5 });
      expect(found).toEqual([
        { value: 'Spain', count: 2 },
        { value: 'Sweden', count: 1 },
      ]);
    }
  });

  it('are those of one tenant, and go with it', async () => {
    await take({ step: 'insert', rows: [row] });
    const other = await newTenant();
    expect((await bothWays(other))[0].every(({ values: own }) => own.length === 0)).toBe(true);
    await take({ step: 'merge' });
    await take({ step: 'insert', rows: [row] });
    await pool().query('DELETE FROM tenant WHERE id = $1', [db.tenantId]);
    expect([await rowsOf('facet_change'), await rowsOf('facet_total')]).toEqual([0, 0]);
  });
});
