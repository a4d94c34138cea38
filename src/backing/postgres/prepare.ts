import type pg from 'pg';
import { SetupError } from '../../lib/errors.ts';
import { packageVersion } from '../../lib/package-root.ts';
import { knownMigrations, migrate, missingMigrations, newerMigrations } from './migrate.ts';
import { isQueueReady, migrateQueue } from '../queue/queue-tables.ts';
import { SteadyClient } from './steady-client.ts';
import { isDistrusted } from './unavailable.ts';

/** The statements need generated columns, MERGE and functions; besides, older versions no longer get fixes. */
const oldest = 15;
const connectMs = 10_000;

type PrepareOptions = Readonly<{
  /** Whether missing tables are created; otherwise they are an error. */
  migrates: boolean;
  /** Whether a database without any of Vitrine's tables gets them; otherwise that is an error. */
  creates?: boolean;
  /** Whether the queue is in this database. */
  hasQueue?: boolean;
}>;

/**
 * Checks that a database can be used: its server, its encoding and its tables.
 *
 * @returns the names of the migrations applied now.
 * @throws SetupError that says what to do.
 */
export async function prepareDatabase(
  url: string,
  { migrates, creates = true, hasQueue = true }: PrepareOptions,
): Promise<readonly string[]> {
  const client = await connectTo(url);
  try {
    await checkServer(client);
    const missing = await missingMigrations(client);
    await refuseNewer(client, missing);
    if (!creates && missing.length === knownMigrations().length) throw noCatalog();
    const isReady = missing.length === 0 && (!hasQueue || (await isQueueReady(client)));
    if (isReady) return [];
    if (!migrates) throw behind(missing);
    const applied = await migrate(client);
    if (hasQueue) await migrateQueue(client);
    return applied;
  } catch (error) {
    if ((error as { code?: unknown }).code !== '42501') throw error;
    throw await missingRight(client, error as Error).catch(() => error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** @throws SetupError if the server at an address given to a command cannot be used. */
export async function requireServer(url: string): Promise<void> {
  const client = await connectTo(url, 'the address that you gave');
  await checkServer(client).finally(() => client.end().catch(() => {}));
}

/** @throws SetupError if a database cannot be reached, or has no catalog. */
export async function requireCatalog(url: string): Promise<void> {
  const client = await connectTo(url);
  try {
    const missing = await missingMigrations(client);
    if (missing.length === knownMigrations().length) throw noCatalog();
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * @throws SetupError if a newer version has migrated the database: this version would write what the newer one does
 * not expect.
 */
async function refuseNewer(client: pg.Client, missing: readonly string[]): Promise<void> {
  if (missing.length === knownMigrations().length) return; // There may be no list of migrations at all.
  const newer = await newerMigrations(client);
  if (newer.length === 0) return;
  throw new SetupError(
    `The database belongs to a newer version of Vitrine than ${packageVersion}: it has ${newer.join(', ')}.\n` +
      'Run that version or a newer one. To go back, restore a backup into an empty database with this version.',
  );
}

type Rights = Readonly<{ user: string; schema: string | null; mayUse: boolean; mayCreate: boolean; mayRead: boolean }>;

/** The error for a user who may not create or change tables; names the right that is missing. */
async function missingRight(client: pg.Client, { message }: Error): Promise<SetupError> {
  const { rows } = await client.query<Rights>(
    `SELECT current_user AS user, schema, coalesce(has_schema_privilege(schema, 'USAGE'), false) AS "mayUse",
            coalesce(has_schema_privilege(schema, 'CREATE'), false) AS "mayCreate",
            coalesce(has_table_privilege(to_regclass('"_prisma_migrations"')::oid, 'SELECT'), true) AS "mayRead"
     FROM (SELECT coalesce(current_schema(), 'public') AS schema) one`,
  );
  const { user, schema, mayUse, mayCreate, mayRead } = rows[0] as Rights;
  const right = !mayUse
    ? `the right USAGE on the schema ${schema}`
    : !mayRead
      ? 'the right SELECT on the tables'
      : mayCreate
        ? 'the ownership of the tables'
        : `the right CREATE on the schema ${schema}`;
  const what = mayUse && !mayRead ? 'read the tables' : 'create or change the tables';
  return new SetupError(
    `The user ${user} of DATABASE_URL cannot ${what}: it lacks ${right} (${message}).\n` +
      `Run "vitrine migrate --grant ${user}" once with the DATABASE_URL of their owner; see docs/run.md.`,
  );
}

function noCatalog(): SetupError {
  return new SetupError(
    'There is no catalog in the database.\n' +
      'Check name and schema in DATABASE_URL, if it is set. The first start creates a catalog: vitrine serve',
  );
}

function behind(missing: readonly string[]): SetupError {
  const what =
    missing.length === 0 ? 'the tables of the queue' : `${missing.length} migration(s): ${missing.join(', ')}`;
  return new SetupError(
    `The database is missing ${what}.\nRun "vitrine migrate" with the DATABASE_URL of their owner, or set DATABASE_MIGRATE=on.`,
  );
}

/** @throws SetupError if the server cannot be reached or refuses access. */
async function connectTo(url: string, name = 'DATABASE_URL'): Promise<pg.Client> {
  let client: pg.Client | null = null;
  try {
    client = new SteadyClient({ connectionString: url, connectionTimeoutMillis: connectMs });
    await client.connect();
    return client;
  } catch (error) {
    await client?.end().catch(() => {});
    throw new SetupError(connectionFault(error).replaceAll('DATABASE_URL', name));
  }
}

/** Why PostgreSQL cannot be used and what to do, in two lines; without the password of the URL. */
export function connectionFault(error: unknown): string {
  const { code, message } = error as Error & { code?: string };
  // Prisma starts with lines about which of its methods was called where.
  const reason = /^P\d{4}$/.test(code ?? '') ? message.trimEnd().split('\n').at(-1)?.replace(/\.$/, '') : message;
  return `Cannot use PostgreSQL: ${reason || (code ?? 'no answer')}.\n${connectionRemedy(error)}`;
}

/** What to do about a PostgreSQL that cannot be reached or refuses access. */
export function connectionRemedy(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  if (message?.includes('does not support SSL'))
    return 'Turn on ssl in its settings, or remove sslmode from DATABASE_URL.';
  const known = hints[code ?? ''];
  return known ?? (isDistrusted(error) ? distrustedHint : otherHint);
}

const otherHint = 'Check DATABASE_URL and that the server accepts connections from here.';
const distrustedHint =
  'Set the authority of its certificate: sslmode=verify-full&sslrootcert=FILE in DATABASE_URL, or NODE_EXTRA_CA_CERTS.';

const hints: Readonly<Record<string, string>> = {
  '08P01': 'The pooler cannot reach its server: check DATABASE_DIRECT_URL and the log of the pooler.',
  '28P01': 'Check user and password in DATABASE_URL.',
  '28000': 'Allow this user and address in pg_hba.conf of the server.',
  '3D000': 'Create the database first: CREATE DATABASE vitrine ENCODING UTF8 TEMPLATE template0',
  '42501': 'Grant this user access to the tables: vitrine migrate --grant USER, with the DATABASE_URL of their owner.',
  '53100': 'Free some space on the disk of PostgreSQL.',
  '53300': 'Raise max_connections of the server, or lower DATABASE_CONNECTIONS of each process.',
  '57P03': 'It is starting or stopping: try again in a moment, and check its log.',
  CERT_HAS_EXPIRED: 'Renew the certificate of the server, and reload its settings.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use a host name in DATABASE_URL that its certificate names.',
  ECONNREFUSED: 'Check host and port in DATABASE_URL, and that the server runs.',
  ETIMEDOUT: 'Check host and port in DATABASE_URL, and the firewalls in between.',
  ENOTFOUND: 'Check the host name in DATABASE_URL.',
  EAI_AGAIN: 'Check the host name in DATABASE_URL, and the name servers of this machine.',
  P1001: 'Check host and port in DATABASE_URL, and that the server runs.',
  ENOENT: 'Check the path of the socket or of the certificate that DATABASE_URL names.',
};

type Server = Readonly<{ number: number; version: string; encoding: string }>;

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Server>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
            current_setting('server_encoding') AS encoding`,
  );
  const { number, version, encoding } = rows[0] as Server;
  const fault = serverFault(number, version, encoding);
  if (fault !== null) throw new SetupError(fault);
}

/** Why a server cannot be used; null if it can. */
export function serverFault(number: number, version: string, encoding: string): string | null {
  if (number < oldest * 10_000) return `PostgreSQL ${version} is too old: Vitrine needs ${oldest} or newer.`;
  if (encoding !== 'UTF8') {
    return (
      `The database is encoded in ${encoding}; texts of all languages need UTF8.\n` +
      'Create another one: CREATE DATABASE vitrine ENCODING UTF8 TEMPLATE template0'
    );
  }
  return null;
}
