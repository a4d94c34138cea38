import { describe, expect, it } from 'vitest';
import { readSearchQueryOf } from '../../../src/search/query/search-query.ts';
import type { TenantDb } from '../../../src/tenants/index.ts';
import { endedFirst } from '../../support/first-iteration.ts';

/** Formulas without saved ones are read without the database. */
const db = { tenantId: 1 } as TenantDb;
const options = { resource: 'image', lang: 'ml', mayVerify: false } as const;

/** How many of ten formulas that arrive at once are read before something else has its turn. */
const readFirst = (formulaOf: (number: number) => string) =>
  endedFirst(10, (number) => readSearchQueryOf(db, formulaOf(number), options));

/** A formula of 1,200 characters. */
const long = (number: number) => Array.from({ length: 60 }, (_, at) => `title:word_${number}_${at}`).join(' OR ');

describe('formulas that arrive at once', () => {
  it('are read in one iteration of the event loop each, if they are long and new', async () => {
    expect(long(0).length).toBeGreaterThan(1_000);
    expect(await readFirst(long)).toBeLessThanOrEqual(2);
    expect(await readFirst(long)).toBe(10); // By now they are known.
  });

  it('are not delayed if they are short', async () => {
    expect(await readFirst((number) => `title:short_${number}`)).toBe(10);
  });
});
