import pg from 'pg';
import {
  connectionRemedy,
  findEmbeddedPostgres,
  hasEmbeddedCatalog,
  missingMigrations,
  missingPostgres,
  newerMigrations,
  refusedWrites,
  serverFault,
} from '../backing/index.ts';
import type { Config } from '../config/config.ts';
import { findBottleneck } from './bottleneck.ts';
import { reasonOf, withoutPassword } from './finding.ts';
import type { Finding } from './finding.ts';
import { findFormerVectors, findVectorIndexes } from './vectors.ts';
import { findWork } from './work.ts';

type Row = Readonly<{
  version: string;
  number: number;
  encoding: string;
  isSuperuser: boolean;
  most: number;
  used: number;
  reserved: number;
  refusal: string | null;
}>;

const statement = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
         current_setting('server_encoding') AS encoding, current_setting('max_connections')::int AS most,
         (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "isSuperuser",
         current_setting('superuser_reserved_connections')::int AS reserved, (${refusedWrites}) AS refusal,
         (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int AS used`;

const writeFault = {
  subject: 'database',
  state: 'fault',
  remedy: 'Set DATABASE_URL to the primary, or make the server writable again (default_transaction_read_only).',
} as const;

/** Writes a few pages to a temporary table: a full disk refuses them, which reads would not reveal. */
async function findRoom(client: pg.Client): Promise<Finding[]> {
  try {
    await client.query('BEGIN');
    await client.query(
      `CREATE TEMPORARY TABLE vitrine_doctor ON COMMIT DROP AS
       SELECT md5(n::text) || md5((-n)::text) AS filling FROM generate_series(1, 20000) AS n`,
    );
    return [];
  } catch (error) {
    if ((error as { code?: string }).code === '42501') return []; // This user may not create temporary tables.
    const text = `writes fail: ${(error as Error).message}`;
    return [{ subject: 'database', state: 'fault', text, remedy: 'Free some space on the disk of PostgreSQL.' }];
  } finally {
    await client.query('ROLLBACK').catch(() => {});
  }
}

/** Checks PostgreSQL: whether it answers, is new enough, has its tables, and has room for the pool. */
export async function findDatabase(config: Config): Promise<Finding[]> {
  const { databaseUrl, database, dataDir } = config;
  const url = databaseUrl ?? (await findEmbeddedPostgres(dataDir));
  if (url === null) return [noServer(dataDir)];
  const name = databaseUrl === undefined ? 'embedded' : withoutPassword(url);
  const findings = await ask(url, 'database', async (client) => [
    ...(await server(client, name, config)),
    ...(await tables(client, config)),
  ]);
  if (database.directUrl === undefined) return findings;
  const direct = await ask(database.directUrl, 'direct', async (client) => {
    await client.query('LISTEN vitrine_doctor');
    return [
      {
        subject: 'direct',
        state: 'ok',
        text: `${withoutPassword(database.directUrl ?? '')} answers and supports sessions`,
      },
    ];
  });
  return [...findings, ...direct];
}

/** For when no address is set and no server runs: the service would start one, if it is installed. */
function noServer(dataDir: string): Finding {
  const missing = missingPostgres();
  if (missing !== null) return { subject: 'database', state: 'fault', text: missing.fault, remedy: missing.remedy };
  const text = hasEmbeddedCatalog(dataDir)
    ? `the embedded PostgreSQL under ${dataDir} is not running`
    : `there is no catalog under ${dataDir} yet`;
  return { subject: 'database', state: 'note', text, remedy: 'It starts with the service: npm start' };
}

async function server(client: pg.Client, name: string, { databaseUrl, database }: Config): Promise<Finding[]> {
  const { rows } = await client.query<Row>(statement);
  const { version, number, encoding, isSuperuser, most, used, reserved, refusal } = rows[0] as Row;
  const fault = serverFault(number, version, encoding);
  if (fault !== null) return [{ subject: 'database', state: 'fault', text: fault }];
  const findings: Finding[] = [
    { subject: 'database', state: 'ok', text: `PostgreSQL ${version}, ${name}, ${used} of ${most} connections used` },
  ];
  if (refusal !== null) findings.push({ ...writeFault, text: `writes are refused: ${refusal}` });
  else findings.push(...(await findRoom(client)));
  if (databaseUrl !== undefined && isSuperuser) {
    findings.push({
      subject: 'database',
      state: 'note',
      text: 'its user is a superuser',
      remedy: 'Use a role that can only change rows: vitrine migrate --grant ROLE, see docs/run.md.',
    });
  }
  if (used >= most - reserved) {
    const text = `no connection is left: ${used} of ${most} are used, ${reserved} are reserved for superusers`;
    const remedy = connectionRemedy({ code: '53300' });
    findings.push({ subject: 'database', state: 'fault', text, remedy });
  }
  if (database.connections + 7 > most) {
    findings.push({
      subject: 'database',
      state: 'fault',
      text: `one process may open ${database.connections + 7} connections, the server has ${most}`,
      remedy: 'Lower DATABASE_CONNECTIONS, or use a pooler.',
    });
  }
  return findings;
}

async function tables(client: pg.Client, config: Config): Promise<Finding[]> {
  const { meili, similarity } = config;
  const missing = await missingMigrations(client);
  if (missing.length > 0) {
    const text = `${missing.length} migration(s) are missing`;
    return [{ subject: 'tables', state: 'fault', text, remedy: 'Run: vitrine migrate, as the owner of the tables' }];
  }
  const newer = await newerMigrations(client);
  if (newer.length > 0) {
    const text = `they belong to a newer version of Vitrine: ${newer.join(', ')}`;
    return [{ subject: 'tables', state: 'fault', text, remedy: 'Run that version, or a newer one.' }];
  }
  const locked = await lockedTables(client);
  if (locked.length > 0) {
    const text = `its user cannot use ${locked.join(', ')}`;
    return [{ subject: 'tables', state: 'fault', text, remedy: connectionRemedy({ code: '42501' }) }];
  }
  const { rows } = await client.query<{ images: number; videos: number; unseen: number; waiting: number }>(
    `SELECT (SELECT count(*) FROM image)::int AS images, (SELECT count(*) FROM video)::int AS videos,
            (SELECT count(*) FROM video WHERE ai_status = 'failed')::int AS unseen,
            (SELECT count(*) FROM operation WHERE state <> 'finished')::int AS waiting`,
  );
  const { images = 0, videos = 0, unseen = 0, waiting = 0 } = rows[0] ?? {};
  const failed = unseen === 0 ? '' : ` (${unseen} with ai_status failed)`;
  const text = `${images} images, ${videos} videos${failed}, ${waiting} unfinished operations`;
  return [
    { subject: 'tables', state: 'ok', text },
    ...(await findVectorIndexes(client, similarity)),
    ...(await findFormerVectors(client)),
    ...(await findWork(client, { hasMeilisearch: meili !== null })),
    await findBottleneck(client, config),
  ];
}

/** Tables that the user cannot read and write: created by another user, or never granted. */
async function lockedTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'
       AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
            AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
     ORDER BY relname LIMIT 5`,
  );
  return rows.map(({ name }) => name);
}

async function ask(url: string, subject: string, work: (client: pg.Client) => Promise<Finding[]>): Promise<Finding[]> {
  let client: pg.Client | null = null;
  try {
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
    client.on('error', () => {}); // Reported by the query that fails.
    await client.connect();
    return await work(client);
  } catch (error) {
    const isRefusal = /^[0-9A-Z]{5}$/.test((error as { code?: string }).code ?? '');
    const text = `PostgreSQL ${isRefusal ? 'refuses' : 'does not answer'}: ${reasonOf(error)}`;
    return [{ subject, state: 'fault', text, remedy: connectionRemedy(error) }];
  } finally {
    await client?.end().catch(() => {});
  }
}
