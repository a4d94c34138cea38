import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase, prepareDatabase } from '../../src/backing/index.ts';
import type { Database } from '../../src/backing/index.ts';
import { createCollection, listCollections } from '../../src/catalog/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { listRecords, readSearchQuery } from '../../src/search/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { emptyDatabase } from '../support/database.ts';

const inOrder = ['2 gulls', '10 gulls', 'apple', 'Apple', 'ávila', 'boat 9', 'Boat 10', 'élite', 'zoo', 'Ёлка', 'жук'];

describe.each(['', `LOCALE_PROVIDER icu ICU_LOCALE 'da' LOCALE 'C' TEMPLATE template0`])(
  'in a database with the options "%s"',
  (options) => {
    let empty: Awaited<ReturnType<typeof emptyDatabase>>;
    let database: Database;
    let db: TenantDb;
    beforeAll(async () => {
      empty = await emptyDatabase(inject('postgresUrl'), options);
      await prepareDatabase(empty.url, { migrates: true });
      database = openDatabase({ url: empty.url, logger: createLogger('fatal') });
      await database.pool.query(`INSERT INTO tenant (id, name) VALUES (1, 'mine')`);
      await database.pool.query(
        `INSERT INTO image (tenant_id, image_id, title, lang, width, height, format, byte_size, checksum)
         SELECT 1, 'id-' || title, title, 'en', 1, 1, 'png', 1, '' FROM unnest($1::text[]) AS title`,
        [inOrder.toReversed()],
      );
      db = forTenant(database, 1);
    });
    afterAll(async () => {
      await database.close();
      await empty.drop();
    });

    async function titles(sortOrder: 'asc' | 'desc', limit: number): Promise<unknown[]> {
      const searchQuery = readSearchQuery('', { resource: 'image', lang: 'ml', mayVerify: false });
      const found: unknown[] = [];
      let cursor: string | null = null;
      do {
        const options = { page: 1, limit, cursor, sortBy: 'title', sortOrder, properties: ['title'], withCursor: true };
        const page: Awaited<ReturnType<typeof listRecords>> = await listRecords(db, searchQuery, options);
        found.push(...page.results.map((row) => (row as Readonly<Record<string, unknown>>)['title']));
        ({ cursor } = page);
      } while (cursor !== null);
      return found;
    }

    it.each([1, 3, 50])('titles are sorted as people do it, numbers by value, in pages of %i', async (limit) => {
      expect(await titles('asc', limit)).toEqual(inOrder);
      expect(await titles('desc', limit)).toEqual(inOrder.toReversed());
    });

    it('so are the names of collections', async () => {
      for (const name of inOrder.toReversed()) await createCollection(db, name);
      const { results } = await listCollections(db, { page: 1, limit: 50 });
      expect(results.map(({ name }) => name)).toEqual(inOrder);
    });
  },
);
