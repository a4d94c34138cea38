import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { openDatabase } from '../../../src/backing/index.ts';
import type { Database } from '../../../src/backing/index.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import {
  answerCount,
  answerFacets,
  answerList,
  facetsOf,
  forgetChanges,
  readSearchQuery,
  sortsOf,
} from '../../../src/search/index.ts';
import type { Facet, FacetMode } from '../../../src/search/index.ts';
import { forTenant } from '../../../src/tenants/index.ts';
import type { TenantDb } from '../../../src/tenants/index.ts';
import { cloneDatabase } from '../../support/database.ts';
import { backends, openTestMeilisearch, openTestServers } from '../../support/meilisearch.ts';
import type { TestMeilisearch } from '../../support/meilisearch.ts';
import { now } from '../formula/read.ts';
import { insertRecords, learnStems } from './catalog.ts';
import { facetOf, sorted } from './expected.ts';
import { analyzed, anyQuery } from './queries.ts';
import type { Context, SearchQuery } from './queries.ts';
import { records } from './records.ts';
import { runsOf } from '../../support/effort.ts';

const numRuns = runsOf('answers of lists');

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
let db: TenantDb;
let stem: Context['stem'];
/** What answers: undefined is PostgreSQL alone. */
let route: TestMeilisearch['route'] | undefined;

beforeAll(async () => {
  // Formulas are read as of now, and the records' dates are around this day.
  vi.useFakeTimers({ toFake: ['Date'], now });
  clone = await cloneDatabase(inject('postgresUrl'));
  const client = new pg.Client({ connectionString: clone.url });
  await client.connect();
  await insertRecords(client);
  stem = await learnStems(client);
  await client.end();
  database = openDatabase({ url: clone.url, logger: createLogger('fatal') });
  db = forTenant(database, 1);
});
afterAll(async () => {
  vi.useRealTimers();
  await database.close();
  await clone.drop();
});

type Lang = 'ml' | 'en' | 'es';
const anyLang = fc.constantFrom<Lang>('ml', 'en', 'es');
/** Sorts that every formula can have: `collection` needs one that names a collection, the others one with similarity. */
const sorts = sortsOf('image').filter((name) => !['similarity', 'sim', 'collection'].includes(name));
const anySort = fc.constantFrom(...sorts);
const anyOrder = fc.constantFrom<'asc' | 'desc'>('asc', 'desc');

const ask = (text: string, lang: Lang) => readSearchQuery(text, { resource: 'image', lang, mayVerify: false });
const expectedRows = ({ holds }: SearchQuery, lang: Lang) =>
  records.filter((row) => holds(row, { stem, langs: analyzed[lang] }));

type Asked = Readonly<{ text: string; lang: Lang; sortBy: string; sortOrder: 'asc' | 'desc' }>;

async function page(
  { text, lang, ...sort }: Asked,
  limit: number,
  place: { page?: number; cursor?: string | null } = {},
) {
  const withCursor = place.cursor !== undefined;
  const options = {
    page: 1,
    cursor: null,
    ...sort,
    ...place,
    limit,
    properties: ['imageId'],
    withCursor,
    withCount: true,
  };
  const { results, cursor, count } = await answerList(db, ask(text, lang), options, route);
  return { ids: results.map((row) => String((row as Readonly<Record<string, unknown>>)['imageId'])), cursor, count };
}

const countRecords = (searchQuery: ReturnType<typeof ask>) => answerCount(db, searchQuery, route);
const countFacets = (
  searchQuery: ReturnType<typeof ask>,
  names: readonly string[],
  mode: FacetMode,
): Promise<Facet[]> => answerFacets(db, searchQuery, names, mode, route);

/** All pages, each by the cursor of the one before. */
async function walk(asked: Asked, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null; ;) {
    const next = await page(asked, limit, { cursor });
    ids.push(...next.ids);
    if (next.cursor === null) return ids;
    cursor = next.cursor;
  }
}

/** One Meilisearch, or several that share the records. */
const open = (servers: number) => (servers === 1 ? openTestMeilisearch(database) : openTestServers(database, servers));

describe.each(backends)('answered by $name,', ({ servers }) => {
  let meilisearch: TestMeilisearch | null = null;
  beforeAll(async () => {
    meilisearch = servers === 0 ? null : await open(servers);
    route = meilisearch?.route;
  });
  afterAll(async () => {
    await meilisearch?.close();
    await forgetChanges(database);
  });

  describe('a list', () => {
    it('has the records that a plain reading finds, in order, however it is cut into pages', async () => {
      const run = async (
        searchQuery: SearchQuery,
        lang: Lang,
        sortBy: string,
        sortOrder: 'asc' | 'desc',
        limit: number,
      ) => {
        const asked: Asked = { text: searchQuery.text, lang, sortBy, sortOrder };
        const rows = expectedRows(searchQuery, lang);
        const whole = (await page(asked, 1000)).ids;
        const isRanked = sortBy === '' && ask(searchQuery.text, lang).condition !== null;
        if (isRanked) expect(whole.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
        else expect(whole).toEqual(sorted(rows, sortBy, sortOrder));
        // A walk by cursor is PostgreSQL's, which ranks otherwise.
        if (isRanked && route !== undefined) expect((await walk(asked, limit)).toSorted()).toEqual(whole.toSorted());
        else expect(await walk(asked, limit)).toEqual(whole);
        const number = 1 + (whole.length % 4);
        expect((await page(asked, limit, { page: number })).ids).toEqual(
          whole.slice((number - 1) * limit, number * limit),
        );
        expect((await page(asked, 10)).count ?? rows.length).toBe(rows.length);
        expect(await countRecords(ask(searchQuery.text, lang))).toBe(rows.length);
      };
      const property = fc.asyncProperty(anyQuery(), anyLang, anySort, anyOrder, fc.integer({ min: 7, max: 60 }), run);
      await fc.assert(property, { numRuns });
    });

    it.each(sorts.filter((name) => name !== ''))(
      'sorted by %s has ties by id and missing values last, both ways',
      async (sortBy) => {
        for (const sortOrder of ['asc', 'desc'] as const) {
          const asked: Asked = { text: '', lang: 'ml', sortBy, sortOrder };
          expect((await page(asked, 1000)).ids).toEqual(sorted(records, sortBy, sortOrder));
          expect(await walk(asked, 17)).toEqual(sorted(records, sortBy, sortOrder));
        }
      },
    );
  });

  describe('facets', () => {
    it('are the values that a plain count finds', async () => {
      const run = async (searchQuery: SearchQuery, lang: Lang, names: string[]) => {
        const rows = expectedRows(searchQuery, lang);
        const found = await countFacets(ask(searchQuery.text, lang), names, 'conjunctive');
        expect(found).toEqual(names.map((name) => ({ name, values: facetOf(rows, name) })));
      };
      const names = fc.uniqueArray(fc.constantFrom(...facetsOf('image')), { minLength: 1, maxLength: 4 });
      await fc.assert(fc.asyncProperty(anyQuery(), anyLang, names, run), { numRuns });
      const everything = await countFacets(ask('', 'ml'), facetsOf('image'), 'conjunctive');
      expect(everything).toEqual(facetsOf('image').map((name) => ({ name, values: facetOf(records, name) })));
    });

    it('that are disjunctive are those of the formula without what it asks of their field', async () => {
      const run = async (searchQuery: SearchQuery, lang: Lang) => {
        const own = { country: '(country:es,fr | -country:vigo)', keywords: 'keywords:(sun -sol)', nsfw: 'nsfw:true' };
        for (const [name, part] of Object.entries(own)) {
          const [narrowed] = await countFacets(ask(`${part} (${searchQuery.text})`, lang), [name], 'disjunctive');
          const [free] = await countFacets(ask(searchQuery.text, lang), [name], 'disjunctive');
          expect(narrowed).toEqual(free);
        }
      };
      await fc.assert(fc.asyncProperty(anyQuery(2), anyLang, run), { numRuns: numRuns / 5 });
    });
  });

  describe('one more condition', () => {
    it('never raises a count, nor the count of any value', async () => {
      const run = async (one: SearchQuery, other: SearchQuery, lang: Lang, name: string) => {
        const [wide, narrow] = [ask(one.text, lang), ask(`(${one.text}) (${other.text})`, lang)];
        expect(await countRecords(narrow)).toBeLessThanOrEqual(await countRecords(wide));
        const [all] = await countFacets(wide, [name], 'conjunctive');
        const [fewer] = await countFacets(narrow, [name], 'conjunctive');
        const before = new Map(all?.values.map(({ value, count }) => [value, count]));
        // Of more than 100 values the rarest are not shown.
        const least = before.size === 100 ? Math.min(...before.values()) : 0;
        for (const { value, count } of fewer?.values ?? [])
          expect(count).toBeLessThanOrEqual(before.get(value) ?? least);
      };
      const property = fc.asyncProperty(anyQuery(2), anyQuery(2), anyLang, fc.constantFrom(...facetsOf('image')), run);
      await fc.assert(property, { numRuns: numRuns / 2 });
    });
  });

  it.runIf(servers > 0)('is mostly answered by Meilisearch, and by PostgreSQL where a formula needs it', () => {
    const { answeredBy: reported } = meilisearch as TestMeilisearch;
    expect(reported.get('meilisearch') ?? 0).toBeGreaterThan(100);
    expect([...reported.keys()].toSorted()).toEqual(['formula', 'meilisearch', 'order']);
  });
});
