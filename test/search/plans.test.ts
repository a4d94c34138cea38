import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SortOrder } from '../../src/search/query/sorts.ts';
import { readSearchQuery, searchRecords } from '../../src/search/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

type Sent = Readonly<{ name: string; text: string; values: readonly unknown[] }>;
type PlanNode = Readonly<{ 'Node Type': string; 'Index Name'?: string; Plans?: readonly PlanNode[] }>;

/** Whether PostgreSQL can read pages in the order of an index, not what it prefers for a handful of records. */
const orderedOnly = `SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off`;

/** One record in fifty has a value that is asked for, one in ten no date. */
const fill = `
  INSERT INTO image (tenant_id, image_id, src, date, date_start, date_end, country, city, author, status, provider, medium,
                     width, height, lang, format, byte_size, checksum, created_at)
  SELECT $1, 'image-' || n, 'http://127.0.0.1:9/' || n, day::text, day, day, value, value, value, value, value, value,
         100, 100, 'en', 'jpeg', 1000, sha256(n::text::bytea), now() - n * interval '1 s'
  FROM generate_series(1, 4000) AS n, LATERAL (
    SELECT CASE WHEN n % 50 = 0 THEN 'es' ELSE 'fr' END AS value,
           CASE WHEN n % 10 > 0 THEN date '2000-01-01' + n END AS day) AS own`;

describe('pages come out of an index in their order', () => {
  let world: World;
  let db: TenantDb;

  beforeAll(async () => {
    world = await openWorld();
    await world.client();
    const { rows } = await world.backing.database.pool.query<{ id: number }>('SELECT id FROM tenant');
    db = forTenant(world.backing.database, rows[0]?.id ?? 0);
    await db.pool.query(fill, [db.tenantId]);
    await db.pool.query('ANALYZE image');
  });
  afterAll(() => world.close());

  type Order = Readonly<{ sortBy: string; sortOrder: SortOrder; cursor?: string | null; withRows?: boolean }>;

  async function statementsOf(
    q: string,
    { sortBy, sortOrder, cursor = null, withRows = true }: Order,
  ): Promise<Sent[]> {
    const sent: Sent[] = [];
    const watched: TenantDb = {
      ...db,
      query: (statement, values = [], client = undefined) => {
        sent.push({ name: statement.name, text: statement.text, values: [db.tenantId, ...values] });
        return db.query(statement, values, client);
      },
    };
    const searchQuery = readSearchQuery(q, { resource: 'image', lang: 'ml', mayVerify: false });
    const options = {
      page: 1,
      limit: 50,
      sortBy,
      sortOrder,
      cursor,
      properties: ['imageId'],
      withCursor: withRows,
      withRows,
    };
    await searchRecords(watched, searchQuery, options);
    return sent;
  }

  /** The names of the plan's nodes, and of the indexes that they read. */
  async function planOf({ text, values }: Sent): Promise<string[]> {
    const client = await db.pool.connect();
    try {
      await client.query(`BEGIN; ${orderedOnly}`);
      const { rows } = await client.query({ text: `EXPLAIN (FORMAT JSON) ${text}`, values: [...values] });
      const names = (node: PlanNode): string[] => [
        node['Node Type'],
        ...(node['Index Name'] === undefined ? [] : [node['Index Name']]),
        ...(node.Plans ?? []).flatMap(names),
      ];
      return names((rows[0] as { 'QUERY PLAN': { Plan: PlanNode }[] })['QUERY PLAN'][0]?.Plan as PlanNode);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  }

  it('by date from the latest, those without one last, in one statement', async () => {
    for (const q of ['', 'is:nsfw', 'date:2015']) {
      const [first, ...others] = await statementsOf(q, { sortBy: 'date', sortOrder: 'desc' });
      expect(others).toEqual([]);
      const plan = await planOf(first as Sent);
      expect(plan).toContain('image_by_date_idx');
      expect(plan).not.toContain('Sort');
    }
  });

  it('by date from the first, and behind a cursor, those without one in a statement of their own', async () => {
    for (const sortOrder of ['asc', 'desc'] as const) {
      const [key, id] = sortOrder === 'asc' ? ['2010-12-10', 'a'] : ['2000-01-03', 'a'];
      const place = Buffer.from(JSON.stringify(['date_start', sortOrder, key, id])).toString('base64url');
      const sent = await statementsOf('', { sortBy: 'date', sortOrder, cursor: place });
      expect(sent).toHaveLength(2);
      for (const each of sent) {
        const plan = await planOf(each);
        expect(plan).toContain('image_by_date_idx');
        expect(plan).not.toContain('Sort');
      }
    }
  });

  it.each(['country', 'city', 'author', 'status', 'provider', 'medium'])('the newest of one %s', async (field) => {
    const [first] = await statementsOf(`${field}:es`, { sortBy: '', sortOrder: 'desc' });
    const plan = await planOf(first as Sent);
    expect(plan).toContain(`image_by_${field}_idx`);
    expect(plan).not.toContain('Sort');
  });

  it.each(['country', 'city', 'author', 'provider'])('the latest of one %s', async (field) => {
    const [first, ...others] = await statementsOf(`${field}:es`, { sortBy: 'date', sortOrder: 'desc' });
    expect(others).toEqual([]);
    const plan = await planOf(first as Sent);
    expect(plan).toContain(`image_${field}_by_date_idx`);
    expect(plan).not.toContain('Sort');
  });

  const preparedWith: readonly (readonly [string, Order, boolean])[] = [
    ['country:es', { sortBy: '', sortOrder: 'desc' }, true],
    ['country:fr', { sortBy: 'date', sortOrder: 'desc' }, true],
    ['status:es', { sortBy: '', sortOrder: 'desc' }, true],
    // Neither the dates of all nor all of a status is best for every status.
    ['status:es', { sortBy: 'date', sortOrder: 'desc' }, false],
    ['country:es', { sortBy: 'date', sortOrder: 'asc' }, false],
    ['country:es', { sortBy: 'width', sortOrder: 'desc' }, false],
    ['country:es*', { sortBy: 'date', sortOrder: 'desc' }, false],
    ['country:es city:es', { sortBy: 'date', sortOrder: 'desc' }, false],
    ['beach', { sortBy: '', sortOrder: 'desc' }, true],
    ['beach fog', { sortBy: '', sortOrder: 'desc' }, false],
    ['beach', { sortBy: '', sortOrder: 'asc' }, false],
  ];
  it.each(preparedWith)(
    '%j by %j is prepared where one plan is best for every value: %s',
    async (q, order, isPrepared) => {
      const [first] = await statementsOf(q, order);
      expect(first?.name !== '').toBe(isPrepared);
    },
  );

  it.each([
    ['', 0],
    ['country:es', 0],
    ['country:es OR date:2015', 0],
    // A word is taken for mistyped where nothing holds it.
    ['beach', 2],
  ])('%j reads no records where nobody asks for them', async (q, statements) => {
    const sent = await statementsOf(q, { sortBy: '', sortOrder: 'desc', withRows: false });
    expect(sent.length).toBeLessThanOrEqual(statements);
    for (const { text } of sent) expect(text).not.toMatch(/^SELECT image_id/);
  });

  it('one prepared statement answers for frequent, rare and unknown values', async () => {
    const searchQuery = (q: string) => readSearchQuery(q, { resource: 'image', lang: 'ml', mayVerify: false });
    const options = { page: 1, limit: 50, sortBy: 'date', sortOrder: 'desc' as const, cursor: null };
    const count = async (value: string) => {
      const page = { ...options, properties: ['imageId'], withCursor: false };
      return (await searchRecords(db, searchQuery(`country:${value}`), page)).results.length;
    };
    for (let times = 0; times < 8; times += 1) {
      expect(await Promise.all(['es', 'fr', 'xx'].map(count))).toEqual([50, 50, 0]);
    }
  });
});
