import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { baseline, formerMigrations } from '../../src/backing/postgres/baseline.ts';
import { withCurrentNames, knownMigrations, migrate, missingMigrations } from '../../src/backing/postgres/migrate.ts';
import { diffSchemas } from '../../scripts/schema-engine.js';
import { packageRoot } from '../../src/lib/package-root.ts';
import { cloneDatabase, emptyDatabase, onDatabase } from '../support/database.ts';
import { full } from '../support/effort.ts';

const content = readFileSync(join(packageRoot, 'prisma', 'schema.prisma'), 'utf8');
let database: Awaited<ReturnType<typeof cloneDatabase>>;

beforeAll(async () => {
  database = await cloneDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());

/**
 * What a database's own catalog says of its tables, in words that two databases can be compared by.
 * Partial and GIN indexes, those of parts of a hash, and where nulls stand in one are beyond Prisma's schema.
 */
async function describeTables(url: string): Promise<string[]> {
  const { rows } = await onDatabase(url, (client) =>
    client.query<{ line: string }>(`
      SELECT format('%s.%s %s%s%s', table_name, column_name, udt_name,
                    CASE WHEN is_nullable = 'YES' THEN ' null' ELSE '' END, ' ' || column_default) AS line
      FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'
      UNION ALL
      SELECT regexp_replace(indexdef, '^CREATE (UNIQUE )?INDEX', 'index \\1') FROM pg_indexes
      WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' AND indexdef NOT LIKE '% WHERE %'
        AND indexdef NOT LIKE '% USING gin %' AND indexdef NOT LIKE '% NULLS LAST%' AND indexdef NOT LIKE '%(("substring"(%'
      UNION ALL
      SELECT format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace AND contype IN ('f', 'p', 'u')
        AND conrelid::regclass::text <> '_prisma_migrations'
      UNION ALL
      SELECT format('enum %s %s', typname, string_agg(enumlabel, ',' ORDER BY enumsortorder))
      FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid WHERE typnamespace = 'public'::regnamespace GROUP BY typname`),
  );
  return rows.map(({ line }) => line).toSorted();
}

/** The tables of a schema, made in an empty database of their own. */
async function tablesOf(schema: string): Promise<string[]> {
  const sql = await diffSchemas(null, schema, database.url);
  const name = `schema_${randomBytes(4).toString('hex')}`;
  const url = database.url.replace(/\/[^/]+$/, `/${name}`);
  await onDatabase(inject('postgresUrl'), (client) => client.query(`CREATE DATABASE ${name}`));
  await onDatabase(url, (client) => client.query(sql));
  const tables = await describeTables(url);
  await onDatabase(inject('postgresUrl'), (client) => client.query(`DROP DATABASE ${name}`));
  return tables;
}

it('makes by its migrations the tables that the Prisma schema describes', async () => {
  expect(await describeTables(database.url)).toEqual(await tablesOf(content));
});

it('would notice a column, an index or a type that only the Prisma schema has', full, async () => {
  const migrated = await describeTables(database.url);
  for (const [from, to] of [
    ['  technique       String?', '  technique       String?\n  invented String?'],
    ['@@index([expiresAt])', '@@index([expiresAt])\n  @@index([createdAt])'],
    ['  fr\n  ru', '  fr'],
  ] as const) {
    expect(content).toContain(from);
    expect(await tablesOf(content.replace(from, to))).not.toEqual(migrated);
  }
});

it('has each SQL function, and the triggers beside one, as its file in prisma/functions has it', async () => {
  const read = async () => {
    const { rows } = await onDatabase(database.url, (client) =>
      client.query<{ name: string; text: string }>(
        `SELECT proname AS name, pg_get_functiondef(oid) AS text FROM pg_proc
         WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
         UNION ALL SELECT NULL, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2`,
      ),
    );
    return rows;
  };
  const folder = join(packageRoot, 'prisma', 'functions');
  const migrated = await read();
  const names = migrated.flatMap(({ name }) => name ?? []);
  expect(readdirSync(folder).toSorted()).toEqual(names.map((name) => `${name}.sql`));
  for (const name of names) {
    await onDatabase(database.url, (client) => client.query(readFileSync(join(folder, `${name}.sql`), 'utf8')));
  }
  expect(await read(), 'run: npm run migration -- NAME').toEqual(migrated);
});

it('has triggers that join former and changed rows by hash: a plan made for one row compares thousands with thousands', async () => {
  const { rows } = await onDatabase(database.url, (client) =>
    client.query<{ name: string; isByHash: boolean }>(
      `SELECT proname AS name, 'enable_nestloop=off' = ANY (proconfig) AS "isByHash" FROM pg_proc
       WHERE prosrc ~ '\\mformer\\M.*\\mJOIN\\M.*\\mchanged\\M|\\mchanged\\M.*\\mJOIN\\M.*\\mformer\\M' ORDER BY 1`,
    ),
  );
  expect(rows.map(({ name }) => name)).toEqual([
    'image_history',
    'image_words',
    'search_word_add_changed',
    'video_history',
    'video_words',
  ]);
  expect(rows.filter(({ isByHash }) => !isByHash)).toEqual([]);
});

it('applies each migration once, also when two processes start together', async () => {
  const apply = () => onDatabase(database.url, migrate);
  const [first, second] = await Promise.all([apply(), apply()]);
  expect([first, second]).toEqual([[], []]);
});

it('refuses a database whose migration was changed after it was applied', async () => {
  await onDatabase(database.url, (client) => client.query(`UPDATE "_prisma_migrations" SET checksum = 'other'`));
  await expect(onDatabase(database.url, migrate)).rejects.toThrow('was changed after this database had applied it');
});

/** A database as it was when it had these of the migrations before the baseline. */
async function listFormer(names: readonly string[]): Promise<string> {
  const { url } = await emptyDatabase(inject('postgresUrl'));
  await onDatabase(url, async (client) => {
    await migrate(client, (name) => name === baseline);
    await client.query('DELETE FROM "_prisma_migrations"');
    await client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name) SELECT name, 'old', name FROM unnest($1::text[]) AS name`,
      [names],
    );
    await client.query(`INSERT INTO tenant (name) VALUES ('old')`);
  });
  return url;
}

const ledgerOf = (url: string) =>
  onDatabase(url, (client) =>
    client.query('SELECT migration_name AS name, checksum FROM "_prisma_migrations" ORDER BY 1'),
  );

it('goes on with a database that has all migrations from before the baseline, and keeps its rows', async () => {
  const url = await listFormer(formerMigrations);
  const later = knownMigrations()
    .map(({ name }) => name)
    .filter((name) => name !== baseline);
  expect(await onDatabase(url, missingMigrations)).toEqual(later);
  expect(await onDatabase(url, migrate)).toEqual(later);
  expect(await onDatabase(url, migrate)).toEqual([]);
  expect((await ledgerOf(url)).rows).toEqual(knownMigrations());
  expect(await describeTables(url)).toEqual(await tablesOf(content));
  const { rows } = await onDatabase(url, (client) => client.query('SELECT name FROM tenant'));
  expect(rows).toEqual([{ name: 'old' }]);
});

it('refuses a database that has only some of them in one sentence, and changes nothing', async () => {
  const url = await listFormer(formerMigrations.slice(0, 12));
  const before = (await ledgerOf(url)).rows;
  for (const work of [migrate, missingMigrations]) {
    await expect(onDatabase(url, work)).rejects.toThrow(
      /^The database has 12 of the 30 migrations from before the first release.*whose last migration is 20261123060000_top_words\.$/,
    );
  }
  expect((await ledgerOf(url)).rows).toEqual(before);
});

it('reads the migrations of an archive from before the baseline as the baseline', () => {
  const former = formerMigrations.map((name) => ({ name, checksum: 'old' }));
  expect(withCurrentNames(former)).toEqual(knownMigrations().filter(({ name }) => name === baseline));
  expect(() => withCurrentNames(former.slice(1), 'The archive')).toThrow('The archive has 29 of the 30');
});
