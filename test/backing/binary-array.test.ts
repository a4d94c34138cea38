import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { binaryArray } from '../../src/backing/index.ts';

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
});
afterAll(() => client.end());

async function read(type: string, array: Buffer): Promise<unknown> {
  const { rows } = await client.query<{ elements: unknown }>(`SELECT to_json($1::${type}[]) AS elements`, [array]);
  return rows[0]?.elements;
}

const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0') && value.isWellFormed());
const listOf = <T>(one: fc.Arbitrary<T>) => fc.array(fc.option(one), { maxLength: 20 });

describe('an array in the format of PostgreSQL', () => {
  it('is what was sent, nulls and an empty one included', async () => {
    const sent = fc.record({
      text: listOf(text),
      int2: listOf(fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 })),
      int4: listOf(fc.integer()),
      int8: listOf(fc.maxSafeInteger()),
    });
    const property = fc.asyncProperty(sent, async (arrays) => {
      for (const [type, values] of Object.entries(arrays)) {
        expect(await read(type, binaryArray(type as 'text', values as string[]))).toEqual(values);
      }
    });
    await fc.assert(property, { numRuns: 50 });
  });

  it('takes JSON as text and bytes as they are', async () => {
    const values = [{ a: 'é"\\', b: [1, null] }, null, 'x'];
    const texts = values.map((value) => (value === null ? null : JSON.stringify(value)));
    expect(await read('json', binaryArray('json', texts))).toEqual(values);
    expect(await read('jsonb', binaryArray('jsonb', texts))).toEqual(values);
    expect(await read('bytea', binaryArray('bytea', [Buffer.from([0, 255]), null]))).toEqual([
      String.raw`\x00ff`,
      null,
    ]);
  });
});
