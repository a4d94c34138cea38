import { hash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { SetupError } from '../../lib/errors.ts';
import { packageRoot } from '../../lib/package-root.ts';
import { baseline, formerMigrations, withBaseline } from './baseline.ts';
import type { AppliedMigration } from './baseline.ts';
import { lockKeys } from './lock-keys.ts';

const folder = join(packageRoot, 'prisma', 'migrations');

/** The table as `prisma migrate` creates it, so that `prisma migrate deploy` agrees on what has been applied. */
const ledger = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
  )`;

const note = `
  INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count)
  VALUES ($1, $2, $3, now(), 1)`;

type Migration = Readonly<{ name: string; sql: string; checksum: string }>;

/**
 * Applies those migrations of prisma/migrations/ that the database lacks and `isWanted` accepts, each in a
 * transaction of its own, under a lock that makes other starting processes wait.
 *
 * @returns the names of the migrations applied now.
 * @throws SetupError if an applied migration was changed afterwards, or one fails.
 */
export async function migrate(client: pg.Client, isWanted: (name: string) => boolean = () => true): Promise<string[]> {
  await client.query('SELECT pg_advisory_lock($1)', [lockKeys.migrate]);
  try {
    await client.query(ledger);
    await replaceFormer(client);
    const missing = (await findMissing(client)).filter(({ name }) => isWanted(name));
    for (const migration of missing) await apply(client, migration);
    await refreshCollation(client);
    return missing.map(({ name }) => name);
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [lockKeys.migrate]).catch(() => {}); // It also ends with the connection.
  }
}

/** PostgreSQL warns about a collation that was created with another version of ICU. No index depends on this one. */
async function refreshCollation(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_collation WHERE oid = to_regcollation('natural_order')
       AND collversion IS DISTINCT FROM pg_collation_actual_version(oid)`,
  );
  if (rowCount === 1) await client.query('ALTER COLLATION natural_order REFRESH VERSION');
}

/** Names of the migrations that a database lacks; needs only read access. */
export async function missingMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ ledger: string | null }>(
    `SELECT to_regclass('"_prisma_migrations"') AS ledger`,
  );
  const missing = rows[0]?.ledger === null ? readMigrations() : await findMissing(client);
  return missing.map(({ name }) => name);
}

/** Names of applied migrations that this version does not have, because a newer version applied them. */
export async function newerMigrations(client: pg.Client): Promise<string[]> {
  const known = new Set(readMigrations().map(({ name }) => name));
  return withCurrentNames(await readLedger(client))
    .map(({ name }) => name)
    .filter((name) => !known.has(name));
}

/** Names and checksums of prisma/migrations/, as listed by a database that has applied exactly these. */
export function knownMigrations(): readonly AppliedMigration[] {
  return readMigrations().map(({ name, checksum }) => ({ name, checksum }));
}

/**
 * The migrations that a database or an archive has applied, under their current names.
 *
 * @throws SetupError if it has only some of the migrations before the baseline.
 */
export function withCurrentNames(
  applied: readonly AppliedMigration[],
  owner = 'The database',
): readonly AppliedMigration[] {
  return withBaseline(applied, owner, readMigrations().find(({ name }) => name === baseline)?.checksum ?? '');
}

async function findMissing(client: pg.Client): Promise<Migration[]> {
  const applied = withCurrentNames(await readLedger(client));
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]));
  return readMigrations().filter((migration) => isMissing(migration, checksums));
}

async function readLedger(client: pg.Client): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    'SELECT migration_name AS name, checksum FROM "_prisma_migrations" WHERE rolled_back_at IS NULL ORDER BY 1',
  );
  return rows;
}

/** Marks the baseline as applied if all former migrations are, as `prisma migrate resolve --applied` does. */
async function replaceFormer(client: pg.Client): Promise<void> {
  const listed = await readLedger(client);
  const applied = withCurrentNames(listed);
  if (applied === listed) return;
  await client.query('BEGIN');
  await client.query('DELETE FROM "_prisma_migrations" WHERE migration_name = ANY ($1)', [formerMigrations]);
  const { name, checksum } = applied.find((migration) => migration.name === baseline) as AppliedMigration;
  await client.query(note, [randomUUID(), checksum, name]);
  await client.query('COMMIT');
}

function isMissing({ name, checksum }: Migration, applied: ReadonlyMap<string, string>): boolean {
  const known = applied.get(name);
  if (known !== undefined && known !== checksum) {
    throw new SetupError(`The migration ${name} was changed after this database had applied it.`);
  }
  return known === undefined;
}

function readMigrations(): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: hash('sha256', sql) };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(sql);
    await client.query(note, [randomUUID(), checksum, name]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    if ((error as { code?: unknown }).code === '42501') throw error; // The caller knows which right is missing.
    throw new SetupError(`The migration ${name} failed: ${String(error)}`);
  }
}
