import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../../src/backing/index.ts';
import type { Database } from '../../../src/backing/index.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { listRecords, readSearchQuery } from '../../../src/search/index.ts';
import { findBest, topLevels } from '../../../src/search/query/best-answers.ts';
import { forTenant } from '../../../src/tenants/index.ts';
import type { TenantDb } from '../../../src/tenants/index.ts';
import { cloneDatabase } from '../../support/database.ts';
import { firstOf, sizeOf, full } from '../../support/effort.ts';

/** From frequent to rare; some have one form in all languages, some two or three, one of which other words have too. */
const words = 'beach flowers flower street running runs run canciones cancion church niños новая новый 4k moon zebra';

/** Words in all parts of a record, the first of the list most often; a third of the records are short. */
const fill = `
  WITH word AS (SELECT string_to_array($2, ' ') AS list),
  picked AS (
    SELECT n, part, string_agg(list[1 + floor(array_length(list, 1) * pow(random(), 3))::int], ' ') AS text
    FROM word, generate_series($3::int, $4::int) AS n, generate_series(0, 3) AS part,
      LATERAL generate_series(1, (random() * CASE WHEN n % 3 = 0 THEN 2 ELSE 3 + part * 6 END)::int) AS one
    WHERE random() < 0.9 GROUP BY n, part
  ), filler AS (
    SELECT n, string_agg('w' || floor(random() * 500)::int, ' ') AS text
    FROM generate_series($3::int, $4::int) AS n, generate_series(1, (n % 7) * 6) AS one GROUP BY n
  )
  INSERT INTO image (tenant_id, image_id, src, title, headline, caption, city, keywords, lang, width, height, format, byte_size, checksum)
  SELECT $1, 'image-' || i, 'http://127.0.0.1:9/' || i, t.text, h.text, concat_ws(' ', c.text, f.text), d.text,
    string_to_array(h.text, ' '), (ARRAY['en', 'en', 'es', 'pt', 'fr', 'ru'])[1 + i % 6]::language, 100, 100, 'jpeg', 1, ''
  FROM generate_series($3::int, $4::int) AS i
    LEFT JOIN picked AS t ON t.n = i AND t.part = 0 LEFT JOIN picked AS h ON h.n = i AND h.part = 1
    LEFT JOIN picked AS c ON c.n = i AND c.part = 2 LEFT JOIN picked AS d ON d.n = i AND d.part = 3
    LEFT JOIN filler AS f ON f.n = i`;

/** Every record that holds the word, ranked. */
const ranked = `
  SELECT image_id AS id FROM image, search_forms('{en,es,pt,fr,ru}', $2) AS forms
  WHERE tenant_id = $1 AND stems @@ forms ORDER BY ts_rank(stems, forms, 1)::float8 DESC, image_id LIMIT $3`;

describe('the best answers to a word', () => {
  let clone: Awaited<ReturnType<typeof cloneDatabase>>;
  let database: Database;
  let db: TenantDb;
  const sent: string[] = [];

  beforeAll(async () => {
    clone = await cloneDatabase(inject('postgresUrl'));
    database = openDatabase({ url: clone.url, logger: createLogger('fatal') });
    await database.pool.query(`INSERT INTO tenant (id, name) VALUES (1, 'mine'), (2, 'theirs')`);
    for (const tenant of [1, 2]) await database.pool.query(fill, [tenant, words, 1, sizeOf(1500, 2500, 4000)]);
    const own = forTenant(database, 1);
    db = {
      ...own,
      query: (statement, values = [], client = undefined) => {
        sent.push(statement.text);
        return own.query(statement, values, client);
      },
    };
  }, 120_000);
  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  const isByTops = (text: string) => text.includes('search_top_words');

  async function expectRanked(word: string, limit: number): Promise<void> {
    const searchQuery = readSearchQuery(word, { resource: 'image', lang: 'ml', mayVerify: false });
    const options = { page: 1, limit, sortBy: '', sortOrder: 'desc', cursor: null } as const;
    const { results } = await listRecords(db, searchQuery, { ...options, properties: ['imageId'], withCursor: false });
    const ids = results.map((row) => (row as Readonly<Record<string, unknown>>)['imageId']);
    const { rows } = await db.pool.query<{ id: string }>(ranked, [1, searchQuery.condition?.kind === 'words' ? searchQuery.condition.words[0] : '', limit]); // prettier-ignore
    expect([word, limit, ids]).toEqual([word, limit, rows.map(({ id }) => id)]);
  }

  it('are those of all records that hold it, in order, for every size of page and again', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (const word of [...words.split(' '), 'w7', 'no-such-word', 'unknownword']) {
        for (const limit of firstOf(2, [50, 1, 10])) await expectRanked(word, limit);
      }
    }
  }, 120_000);

  it('are found without reading the other records, from the second time on by one statement', async () => {
    await expectRanked('beach', 50);
    sent.length = 0;
    for (const word of ['beach', 'flowers']) await expectRanked(word, 10);
    expect(sent.map(isByTops)).toEqual([true, true]);
  });

  it('are sought among the best ones first: of a frequent word most are never read', async () => {
    const ranks = Array.from({ length: 2_500 }, (_, n) => 0.3 - n * 0.0001);
    const pageOf = async (key: string, size: number, all: readonly number[]) => {
      const asked: (number | null)[] = [];
      const page = await findBest({ key, size }, async (lowest) => {
        asked.push(lowest);
        const least = lowest === null ? 0 : (topLevels[lowest - 1] ?? 0);
        return all.filter((rank) => rank >= least).slice(0, size).map((rank) => ({ _rank: `${rank}`, _nodes: '1' })); // prettier-ignore
      });
      expect(page.map(({ _rank }) => Number(_rank))).toEqual(all.slice(0, size));
      return asked;
    };
    expect([await pageOf('frequent', 10, ranks), await pageOf('frequent', 10, ranks)]).toEqual([[9], [11]]);
    expect(await pageOf('larger', 1_500, ranks)).toEqual([9, 6]);
    expect(await pageOf('rare', 10, ranks.slice(-5))).toEqual([9, 6, 1, null]);
    expect(await pageOf('rare', 10, ranks.slice(-5))).toEqual([null]);
    expect(await pageOf('rare', 10, ranks)).toEqual([null]);
    expect(await pageOf('rare', 10, ranks)).toEqual([11]);
  });

  it('stay right while records come, change and go', full, async () => {
    const changes = [
      `UPDATE image SET title = caption, caption = title WHERE row_id % 3 = 0`,
      `DELETE FROM image WHERE title LIKE '%beach%' AND row_id % 5 > 0`,
      `UPDATE image SET title = NULL, headline = NULL, lang = 'fr' WHERE row_id % 2 = 0`,
    ];
    for (const [at, change] of changes.entries()) {
      await database.pool.query(change);
      await database.pool.query(fill, [1, words, 10_000 + at * 300, 10_299 + at * 300]);
      for (const word of words.split(' ')) for (const limit of firstOf(1, [50, 10])) await expectRanked(word, limit);
    }
  });

  it('come from an index that holds no separators between values', async () => {
    const { rows } = await database.pool.query<{ words: number; separators: number }>(
      `SELECT count(*)::int AS words, count(*) FILTER (WHERE top LIKE '%~&amp;')::int AS separators
       FROM image, unnest(search_top_words(tenant_id, stems)) AS top`,
    );
    expect(rows[0]?.words).toBeGreaterThan(1000);
    expect(rows[0]?.separators).toBe(0);
  });

  it('have levels that the database has too', async () => {
    const { rows } = await database.pool.query<{ body: string }>(`SELECT prosrc AS body FROM pg_proc WHERE proname = 'search_top_words'`); // prettier-ignore
    expect(rows[0]?.body).toContain(`'{${topLevels.join(', ')}}'`);
  });
});
