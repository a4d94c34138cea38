import pg from 'pg';
import { withCurrentNames, knownMigrations, migrate } from '../backing/index.ts';
import { SetupError } from '../lib/errors.ts';
import type { End, Manifest } from './manifest.ts';
import { quoted } from './members.ts';
import { readSequences, readTables } from './tables.ts';
import type { Table } from './tables.ts';

/** Migrates a database to the migrations of the archive. @throws SetupError if that is impossible or not allowed. */
export async function prepareTarget(client: pg.Client, manifest: Manifest, replaces: boolean): Promise<Table[]> {
  const known = new Map(knownMigrations().map(({ name, checksum }) => [name, checksum]));
  const applied = withCurrentNames(manifest.migrations, 'The archive');
  const foreign = applied.filter(({ name, checksum }) => known.get(name) !== checksum);
  if (foreign.length > 0) {
    throw new SetupError(
      `The archive was made by another version (${manifest.version}) with migrations that this version does not have:\n` +
        `${foreign.map(({ name }) => name).join(', ')}. Restore it with that version, or a newer one.`,
    );
  }
  const wanted = new Set(applied.map(({ name }) => name));
  await migrate(client, (name) => wanted.has(name));
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
  );
  if (rows.some(({ name }) => !wanted.has(name))) {
    throw new SetupError(
      'The database is newer than the archive. Restore into an empty database; it is migrated afterwards.',
    );
  }
  const tables = await readTables(client);
  if (JSON.stringify(sorted(tables)) !== JSON.stringify(sorted(manifest.tables))) {
    throw new SetupError('The tables of the database and the archive differ, although their migrations are the same.');
  }
  await checkIdle(client);
  if (!replaces) await checkEmpty(client, tables);
  return tables;
}

function sorted(tables: readonly Table[]): unknown {
  return tables.map(({ name, columns }) => [name, columns.toSorted()]).toSorted();
}

/** @throws SetupError if a service is running on the database. */
export async function checkUnused(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // The query that fails reports it.
  await client.connect();
  await checkIdle(client).finally(() => client.end());
}

/** Workers send heartbeats; processes of any role hold a listening connection with an application name of their own. */
const runningProcesses = `
  SELECT FROM service_process WHERE seen_at > now() - interval '10 s' UNION ALL
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name ~ '^vitrine [0-9a-f-]{36}$' LIMIT 1`;

async function checkIdle(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(runningProcesses);
  if (rowCount !== 0) throw new SetupError('The service is running on this database. Stop all its processes first.');
}

async function checkEmpty(client: pg.Client, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const { rowCount } = await client.query(`SELECT FROM ${pg.escapeIdentifier(name)} LIMIT 1`);
    if (rowCount === 0) continue;
    throw new SetupError(
      `The database is not empty: there are rows in ${name}. Use an empty database, or delete its rows: --replace`,
    );
  }
}

/** Empties all tables. Triggers are disabled, because the archive already contains what they would write. */
export async function emptyTables(client: pg.Client, tables: readonly Table[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
     AND relname <> '_prisma_migrations'`,
  );
  await client.query(`TRUNCATE ${rows.map(({ name }) => pg.escapeIdentifier(name)).join(', ')} RESTART IDENTITY`);
  for (const { name } of tables) await client.query(`ALTER TABLE ${pg.escapeIdentifier(name)} DISABLE TRIGGER USER`);
}

/** The Meilisearch indexes belong to the source database, which may continue to use and drop them. */
const otherTables = ['search_outbox', 'search_index'];

/** Restores sequences, enables triggers and removes traces of processes that no longer run. */
export async function finishRestore(client: pg.Client, tables: readonly Table[], { sequences }: End): Promise<void> {
  for (const { name } of tables) await client.query(`ALTER TABLE ${pg.escapeIdentifier(name)} ENABLE TRIGGER USER`);
  const known = new Set((await readSequences(client)).map(({ name }) => name));
  for (const { name, last } of sequences) {
    if (!known.has(name)) throw new SetupError(`The archive has an unknown sequence ${quoted(name)}.`);
    if (last !== null) await client.query('SELECT setval($1::regclass, $2)', [pg.escapeIdentifier(name), last]);
  }
  for (const name of otherTables) {
    if (tables.some((table) => table.name === name)) await client.query(`DELETE FROM ${name}`);
  }
  for (const table of ['operation_chunk', 'operation_analysis']) {
    await client.query(`UPDATE ${table} SET begun_by = NULL, trying = NULL WHERE begun_by IS NOT NULL`);
  }
}
