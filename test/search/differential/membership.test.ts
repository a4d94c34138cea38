import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readFormula } from '../../../src/search/formula/index.ts';
import { compileCondition } from '../../../src/search/formula/to-sql.ts';
import { cloneDatabase } from '../../support/database.ts';
import { anyFormula } from '../formula/arbitrary.ts';
import { now } from '../formula/read.ts';
import { insertRecords, learnStems } from './catalog.ts';
import { analyzed, anyQuery } from './queries.ts';
import type { Context } from './queries.ts';
import { records } from './records.ts';
import { runsOf } from '../../support/effort.ts';

const numRuns = runsOf('members of answers');

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let client: pg.Client;
let stem: Context['stem'];

beforeAll(async () => {
  database = await cloneDatabase(inject('postgresUrl'));
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await insertRecords(client);
  stem = await learnStems(client);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function found(formula: string, lang: 'ml' | 'en' | 'es', settings = ''): Promise<string[]> {
  const { condition } = readFormula(formula, { resource: 'image', now });
  const values: unknown[] = [1];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const sql = condition === null ? 'true' : compileCondition(condition, { resource: 'image', lang, parameter });
  if (settings !== '') await client.query(settings);
  const text = `SELECT image_id AS id FROM image WHERE tenant_id = $1 AND (${sql})`;
  const { rows } = await client.query<{ id: string }>(text, values);
  return rows.map(({ id }) => id).toSorted();
}

describe('a formula', () => {
  it('finds the records that a plain reading of it finds', async () => {
    let answers = 0;
    const property = fc.asyncProperty(anyQuery(), fc.constantFrom('ml', 'en', 'es'), async (searchQuery, lang) => {
      const context: Context = {
        stem,
        langs: analyzed[lang],
      };
      const expected = records.filter((row) => searchQuery.holds(row, context)).map(({ id }) => id);
      expect(await found(searchQuery.text, lang)).toEqual(expected.toSorted());
      if (expected.length > 0 && expected.length < records.length) answers += 1;
    });
    await fc.assert(property, { numRuns });
    // Questions that all or no records answer would prove little.
    expect(answers).toBeGreaterThan(numRuns / 3);
  });

  it('finds the same through the index as without it', async () => {
    const property = fc.asyncProperty(anyQuery(2), async ({ text }) => {
      const scanned = await found(text, 'ml', 'SET enable_seqscan = on');
      expect(await found(text, 'ml', 'SET enable_seqscan = off')).toEqual(scanned);
    });
    await fc.assert(property, { numRuns: numRuns / 4 });
  });

  it('is an answer for whatever a text can hold', async () => {
    const isFormula = (text: string) => {
      try {
        return readFormula(text, { resource: 'image', now }).condition !== null && !/i[~=]/i.test(text);
      } catch {
        return false;
      }
    };
    const anyWords = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 4,
    });
    const texts = fc.oneof(
      anyFormula,
      anyWords.map((words) => words.map((word) => `"${word.replace(/["\\“”]/gu, '')}"`).join(' ')),
      anyWords.map((words) => words.map((word) => `title:${word.replace(/[^\p{L}\p{N}]/gu, 'x')}*`).join(' ')),
    );
    const property = fc.asyncProperty(texts.filter(isFormula), fc.constantFrom('ml', 'es'), async (text, lang) => {
      expect(await found(text, lang)).toBeInstanceOf(Array);
    });
    await fc.assert(property, { numRuns: numRuns / 4 });
  });

  it('is its negation turned round', async () => {
    const property = fc.asyncProperty(anyQuery(2), async ({ text }) => {
      const both = [...(await found(text, 'ml')), ...(await found(`NOT (${text})`, 'ml'))];
      expect(both.toSorted()).toEqual(records.map(({ id }) => id).toSorted());
    });
    await fc.assert(property, { numRuns: numRuns / 4 });
  });
});
