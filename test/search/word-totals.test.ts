import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { hasWordStep, takeWordStep } from '../../src/catalog/index.ts';
import { countCommonWords } from '../../src/operations/count-words.ts';
import { mergeAllTotals } from '../../src/operations/merge-totals.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { countRecords, readSearchQuery } from '../../src/search/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { openClone } from '../support/database.ts';
import type { OpenClone } from '../support/database.ts';
import { runsOf, full } from '../support/effort.ts';

/** Without workers: they merge changes, and choose words, when they like. */
let clone: OpenClone;
let db: TenantDb;
let made = 0;
const pool = () => clone.database.pool;
/** Half of some records have such a word. */
const common = { fromRecords: 4, fromHits: 2 } as const;
const never = new AbortController().signal;
const logger = createLogger('silent');

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
  await pool().query('INSERT INTO tenant (id, name) VALUES ($1, $2)', [id, `words-${id}`]);
  return forTenant(clone.database, id);
}

const ask = (q: string, lang: 'ml' | 'es' = 'ml') => readSearchQuery(q, { resource: 'image', lang, mayVerify: false });
const forms = (word: string) => `search_forms('{en,es,pt,fr,ru}', '${word}')`;

/** Words whose stems differ between languages, and that share them. */
const words = ['vista', 'vistas', 'visto', 'happy', 'casas', 'casa', 'sea', '2024', 'nothing'] as const;

type Values = Readonly<{ title: string | null; keywords: readonly string[] | null; lang: string }>;
const values: fc.Arbitrary<Values> = fc.record({
  title: fc.option(fc.array(fc.constantFrom('vista', 'vistas', 'Happy', 'Casa', "l'été", '&'), { maxLength: 3 }).map((each) => each.join(' '))), // prettier-ignore
  keywords: fc.option(fc.array(fc.constantFrom('visto', 'casas', 'sea, 2024', ''), { maxLength: 3 })),
  lang: fc.constantFrom('en', 'es', 'fr'),
});

/** A statement over several records, or what workers do from time to time. */
type Step =
  | Readonly<{ step: 'insert'; rows: readonly Values[] }>
  | Readonly<{ step: 'update'; of: number; to: Values }>
  | Readonly<{ step: 'delete'; of: number }>
  | Readonly<{ step: 'merge' | 'choose' | 'count' }>;

const steps = fc.array(
  fc.oneof(
    fc.record({ step: fc.constant('insert' as const), rows: fc.array(values, { minLength: 1, maxLength: 9 }) }),
    fc.record({ step: fc.constant('update' as const), of: fc.nat(4), to: values }),
    fc.record({ step: fc.constant('delete' as const), of: fc.nat(4) }),
    fc.record({ step: fc.constantFrom('merge' as const, 'choose' as const, 'count' as const) }),
  ),
  { maxLength: 14 },
);

const insert = `INSERT INTO image (tenant_id, image_id, title, keywords, width, height, lang, format, byte_size, checksum)
  SELECT $1, gen_random_uuid()::text, title, keywords, 100, 100, lang, 'jpeg', 1, ''
  FROM jsonb_to_recordset($2) AS r (title text, keywords text[], lang language)`;
const update = `UPDATE image SET (title, keywords, lang) = (
    SELECT title, keywords, lang FROM jsonb_to_record($2) AS r (title text, keywords text[], lang language)
  ) WHERE tenant_id = $1 AND row_id % 5 = $3`;
const remove = 'DELETE FROM image WHERE tenant_id = $1 AND row_id % 5 = $2';

async function take(step: Step): Promise<void> {
  const { tenantId } = db;
  if (step.step === 'insert') await pool().query(insert, [tenantId, JSON.stringify(step.rows)]);
  if (step.step === 'update') await pool().query(update, [tenantId, JSON.stringify(step.to), step.of]);
  if (step.step === 'delete') await pool().query(remove, [tenantId, step.of]);
  if (step.step === 'merge') await mergeAllTotals(clone.database);
  if (step.step === 'choose') await choose();
  if (step.step === 'count') await countAll();
}

/** Lets the words be chosen anew, but not counted. */
async function choose(): Promise<void> {
  await pool().query(`UPDATE word_choice SET chosen_at = '2000-01-01' WHERE tenant_id = $1`, [db.tenantId]);
  await stepPast('waiting');
}

/** The next step that is none of waiting for older transactions, which other databases have as well. */
async function stepPast(waiting: 'waiting'): Promise<void> {
  await vi.waitFor(async () => expect(await takeWordStep(clone.database, pool(), common)).not.toBe(waiting), { timeout: 20_000, interval: 5 }); // prettier-ignore
}

async function countAll(): Promise<void> {
  const counting = async () => {
    await countCommonWords({ database: clone.database, logger }, never, common);
    expect(await hasWordStep(clone.database, common)).toBe(false);
  };
  await vi.waitFor(counting, { timeout: 20_000, interval: 5 });
}

const rowsOf = async (table: string, of = db) =>
  (await pool().query(`SELECT * FROM ${table} WHERE tenant_id = $1`, [of.tenantId])).rowCount;

/** What totals say of the words and what counting the records says, of one moment. */
async function bothWays(of = db) {
  const { rows } = await pool().query<{ word: string; kept: number | null; counted: number }>(
    `SELECT word, word_total_of($1, 'image', ${forms('%')}) AS kept,
      (SELECT count(*) FROM image WHERE tenant_id = $1 AND stems @@ ${forms('%')}) AS counted
     FROM unnest($2::text[]) AS word`.replaceAll(`'%'`, 'word'),
    [of.tenantId, words],
  );
  return rows;
}

const row: Values = { title: 'A happy vista', keywords: ['sea'], lang: 'en' };
const rows = (count: number, each = row) => Array.from({ length: count }, () => each);

describe('the count of a word', () => {
  it('is what counting the records gives, after any statements and whatever workers have done', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        db = await newTenant();
        for (const step of all) await take(step);
        for (const { word, kept, counted } of await bothWays()) {
          expect(kept ?? counted, word).toBe(counted);
          expect(await countRecords(db, ask(word)), word).toBe(counted);
        }
        await countAll();
        for (const { word, kept, counted } of await bothWays()) expect(kept ?? counted, word).toBe(counted);
        await pool().query('DELETE FROM tenant WHERE id = $1', [db.tenantId]);
      }),
      { numRuns: runsOf('totals of words') },
    );
  });

  it('is right at every moment while records are written, merged, and words are chosen and counted', full, async () => {
    let [isOver, rounds, compared] = [false, 0, 0];
    const again = async (work: (n: number) => Promise<unknown>) => {
      for (let n = 0; !isOver; n += 1) await work(n).finally(() => (isOver ||= rounds === 4));
    };
    const forget = async () => {
      await pool().query('DELETE FROM word_total WHERE tenant_id = $1', [db.tenantId]);
      await pool().query('DELETE FROM word_choice WHERE tenant_id = $1', [db.tenantId]);
    };
    const compare = async () => {
      const kept = (await bothWays()).filter((each) => each.kept !== null);
      for (const each of kept) expect(each.kept, each.word).toBe(each.counted);
      if (kept.length > 0) compared += 1;
      if (compared < 10) return;
      [rounds, compared] = [rounds + 1, 0];
      await forget();
    };
    const failing = (error: unknown) => {
      isOver = true;
      throw error;
    };
    const works = [0, 1, 2].map((writer) => (n: number) => writeSlowly(writer, n));
    const merging = () => mergeAllTotals(clone.database);
    const counting = () => countCommonWords({ database: clone.database, logger }, never, common);
    await Promise.all([...works, merging, counting, compare].map((work) => again(work).catch(failing)));
    await countAll();
    const last = await bothWays();
    expect(last.find(({ word }) => word === 'vista')?.kept).toBeGreaterThan(0);
    for (const each of last) expect(each.kept ?? each.counted, each.word).toBe(each.counted);
  });

  /** Several statements in a transaction that stays open for a while. */
  async function writeSlowly(writer: number, n: number): Promise<void> {
    const client = await pool().connect();
    try {
      await client.query('BEGIN');
      await client.query(insert, [db.tenantId, JSON.stringify([...rows(3), { ...row, title: 'vistas', lang: 'es' }])]);
      await sleep((7 * n * (writer + 1)) % 30);
      const own = `tenant_id = $1 AND row_id % 3 = ${writer}`; // So that no writer waits for another one.
      await client.query(`UPDATE image SET title = 'Casa vista' WHERE ${own} AND row_id % 4 = ${n % 4}`, [db.tenantId]);
      if (n % 4 === 3) await client.query(`DELETE FROM image WHERE ${own} AND row_id % 5 = 0`, [db.tenantId]);
      await client.query(n % 5 === 4 ? 'ROLLBACK' : 'COMMIT');
    } finally {
      client.release();
    }
  }

  it('waits for transactions that began before the word was chosen, and not for others', async () => {
    await take({ step: 'insert', rows: rows(5) });
    const [older, newer] = [await pool().connect(), await pool().connect()];
    try {
      await older.query('BEGIN');
      await older.query(insert, [db.tenantId, JSON.stringify(rows(2))]);
      await choose();
      for (let n = 0; n < 3; n += 1) expect(await takeWordStep(clone.database, pool(), common)).toBe('waiting');
      await newer.query('BEGIN');
      await newer.query(update, [db.tenantId, JSON.stringify({ ...row, title: 'Casa' }), 0]);
      await older.query('COMMIT');
      await stepPast('waiting');
      expect((await bothWays())[0]).toEqual({ word: 'vista', kept: 7, counted: 7 });
      await newer.query('COMMIT');
      expect((await bothWays())[0]).toEqual({ word: 'vista', kept: 6, counted: 6 });
    } finally {
      older.release(true);
      newer.release(true);
    }
  });

  it('is counted where the number of its transaction is one of another server, as in a dump', async () => {
    await take({ step: 'insert', rows: rows(5) });
    await choose();
    await pool().query(`UPDATE word_total SET since = '1152921504606846976' WHERE tenant_id = $1`, [db.tenantId]);
    await countAll();
    expect((await bothWays())[0]).toEqual({ word: 'vista', kept: 5, counted: 5 });
  });

  it('is read from the totals, also of all other records', async () => {
    await take({ step: 'insert', rows: rows(6) });
    await countAll();
    await pool().query('UPDATE word_total SET count = count + 1000 WHERE tenant_id = $1', [db.tenantId]);
    expect(await countRecords(db, ask('vista'))).toBe(1006);
    expect(await countRecords(db, ask('-vista'))).toBe(-1000);
    for (const q of ['"vista"', 'vist*', 'title:vista', 'vista happy', 'vista | happy', 'vista width:1..']) {
      expect(await countRecords(db, ask(q)), q).toBe(6);
    }
    expect(await countRecords(db, ask('vista', 'es'))).toBe(6);
  });

  it('adds records that have only a rare form of the word', async () => {
    await take({ step: 'insert', rows: rows(6) });
    await countAll();
    await take({ step: 'insert', rows: [{ ...row, lang: 'es', title: 'vistas' }] });
    await pool().query('UPDATE word_total SET count = count + 1000 WHERE tenant_id = $1', [db.tenantId]);
    expect(await countRecords(db, ask('vistas'))).toBe(1007);
  });

  it('costs a small tenant nothing, beside a large one', async () => {
    await take({ step: 'insert', rows: rows(6) });
    await countAll();
    const large = db;
    db = await newTenant();
    await take({ step: 'insert', rows: rows(3) });
    await take({ step: 'update', of: 1, to: { ...row, title: 'Casa' } });
    await take({ step: 'delete', of: 2 });
    await countAll();
    expect([await rowsOf('word_total'), await rowsOf('word_change'), await rowsOf('word_choice')]).toEqual([0, 0, 0]);
    expect(await rowsOf('word_change', large)).toBe(0);
  });

  it('leaves no changes behind a merge, and records none where no word has changed', async () => {
    await take({ step: 'insert', rows: rows(6) });
    await countAll();
    for (let n = 0; n < 101; n += 1) await take({ step: 'insert', rows: [row] });
    expect(await rowsOf('word_change')).toBe(101);
    await take({ step: 'merge' });
    await pool().query('UPDATE image SET width = 200 WHERE tenant_id = $1', [db.tenantId]);
    expect(await rowsOf('word_change')).toBe(0);
    expect((await bothWays())[0]).toEqual({ word: 'vista', kept: 107, counted: 107 });
  });

  it('is forgotten with the last record that has the word', async () => {
    await take({ step: 'insert', rows: [...rows(3), ...rows(3, { ...row, title: 'Casa' })] });
    await countAll();
    await pool().query(`DELETE FROM image WHERE tenant_id = $1 AND title = 'Casa'`, [db.tenantId]);
    await take({ step: 'merge' });
    const { rows: left } = await pool().query<{ words: string }>(`SELECT words FROM word_total WHERE tenant_id = $1`, [db.tenantId]); // prettier-ignore
    expect(left.map((each) => each.words).filter((each) => /cas/.test(each))).toEqual([]);
    expect(left.length).toBeGreaterThan(0);
  });

  it('is kept no longer where a tenant has become small, and goes with the tenant', async () => {
    await take({ step: 'insert', rows: rows(6) });
    await countAll();
    expect(await rowsOf('word_total')).toBeGreaterThan(0);
    await pool().query('DELETE FROM image WHERE row_id IN (SELECT row_id FROM image WHERE tenant_id = $1 LIMIT 5)', [db.tenantId]); // prettier-ignore
    await countAll();
    expect([await rowsOf('word_total'), await rowsOf('word_choice')]).toEqual([0, 0]);
    await take({ step: 'insert', rows: rows(6) });
    await countAll();
    await take({ step: 'insert', rows: rows(1) });
    await pool().query('DELETE FROM tenant WHERE id = $1', [db.tenantId]);
    expect([await rowsOf('word_total'), await rowsOf('word_change')]).toEqual([0, 0]);
  });
});
