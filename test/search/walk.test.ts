import process from 'node:process';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/backing/index.ts';
import type { Database } from '../../src/backing/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { listRecords, readSearchQuery } from '../../src/search/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { cloneDatabase } from '../support/database.ts';

/** SEARCH_ROWS=100000 walks further. */
const rows = Number(process.env['SEARCH_ROWS'] ?? 3000);
const limit = Math.ceil(rows / 40);

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
let db: TenantDb;
let client: pg.Client;

/** Few values, so that most rows are ties, and many missing ones. */
const insert = `INSERT INTO image (tenant_id, image_id, title, country, date, date_start, date_end, n_faces, width, height,
    created_at, lang, format, byte_size, checksum)
  SELECT 1, $3 || n, CASE WHEN n % 3 > 0 THEN 'sun ' || n % 7 END, CASE WHEN n % 2 = 0 THEN 'es' ELSE 'fr' END,
         CASE WHEN n % 5 > 0 THEN (date '2020-01-01' + n % 11)::text END, CASE WHEN n % 5 > 0 THEN date '2020-01-01' + n % 11 END,
         CASE WHEN n % 5 > 0 THEN date '2020-01-01' + n % 11 END, NULLIF(n % 4, 0), 100 + n % 3, 100,
         timestamptz '2024-01-01' + n % 13 * interval '1 day', 'en', 'png', 1, ''
  FROM generate_series($1::int, $2::int) AS n`;

beforeAll(async () => {
  clone = await cloneDatabase(inject('postgresUrl'));
  client = new pg.Client({ connectionString: clone.url });
  await client.connect();
  await client.query(`INSERT INTO tenant (id, name) VALUES (1, 'mine')`);
  await client.query(insert, [1, rows, 'row-']);
  await client.query('VACUUM ANALYZE image');
  database = openDatabase({ url: clone.url, logger: createLogger('fatal') });
  db = forTenant(database, 1);
});
afterAll(async () => {
  await database.close();
  await client.end();
  await clone.drop();
});

type Walk = Readonly<{ q: string; sortBy: string; sortOrder: 'asc' | 'desc' }>;

async function walk(
  { q, ...sort }: Walk,
  between: (page: number) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const searchQuery = readSearchQuery(q, { resource: 'image', lang: 'ml', mayVerify: false });
  const seen: string[] = [];
  for (let cursor: string | null = null, number = 1; ; number += 1) {
    const options = { page: 1, limit, cursor, ...sort, properties: ['imageId'], withCursor: true };
    const page = await listRecords(db, searchQuery, options);
    seen.push(...page.results.map((row) => String((row as Readonly<Record<string, unknown>>)['imageId'])));
    if (page.cursor === null) return seen;
    cursor = page.cursor;
    await between(number);
  }
}

const walks: readonly Walk[] = [
  { q: '', sortBy: '', sortOrder: 'desc' },
  { q: 'sun', sortBy: '', sortOrder: 'desc' },
  { q: '', sortBy: 'date', sortOrder: 'desc' },
  { q: 'country:es', sortBy: 'date', sortOrder: 'asc' },
  { q: '', sortBy: 'title', sortOrder: 'asc' },
  { q: '-country:es', sortBy: 'n_faces', sortOrder: 'desc' },
  { q: '', sortBy: 'aspect_ratio', sortOrder: 'asc' },
];

it.each(walks)('a walk through $q by $sortBy $sortOrder neither skips nor repeats', async (own) => {
  const seen = await walk(own);
  expect(new Set(seen).size).toBe(seen.length);
  const where = {
    '': 'true',
    sun: 'title IS NOT NULL',
    'country:es': `country = 'es'`,
    '-country:es': `country = 'fr'`,
  }[own.q];
  const { rows: counted } = await client.query(`SELECT count(*)::int AS count FROM image WHERE ${where}`);
  expect(seen.length).toBe(counted[0]?.count);
});

it.each(walks)('a walk by $sortBy $sortOrder finds each row that stays, whatever is written meanwhile', async (own) => {
  const before = await walk(own);
  const name = `${own.sortBy}-${own.sortOrder}-${own.q}`.replaceAll(/\W/g, '');
  const seen = await walk(own, async (page) => {
    // New ones before and behind, some of them gone again, and others changed where they do not move.
    await client.query(insert, [1, 20, `new-${name}-${page}-`]);
    await client.query(`DELETE FROM image WHERE image_id LIKE 'new-${name}-' || $1 || '-%' AND width = 101`, [page]);
    await client.query(`UPDATE image SET nsfw = true WHERE image_id = ANY($1)`, [before.slice(page * 3, page * 3 + 5)]);
  });
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.filter((id) => id.startsWith('row-'))).toEqual(before.filter((id) => id.startsWith('row-')));
});
