import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openDatabase } from '../../src/backing/index.ts';
import type { Database } from '../../src/backing/index.ts';
import { createLogger } from '../../src/observability/logger.ts';

/** Runs `work` on a connection of its own. */
export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

let administration: Promise<pg.Client> | null = null;

/** Runs a statement on a connection that all test files of this process share: each of its own would take as long as a copy. */
async function administer(postgresUrl: string, statement: string): Promise<void> {
  const connect = async () => {
    const client = new pg.Client({ connectionString: postgresUrl });
    // PostgreSQL may end before this process does, at the end of the run.
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  await (await (administration ??= connect())).query(statement);
}

/** Makes a database with every table, as a copy of files; returns its address and how to drop it. */
export async function cloneDatabase(postgresUrl: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(postgresUrl, `CREATE DATABASE ${name} TEMPLATE template_vitrine STRATEGY file_copy`);
  return {
    url: postgresUrl.replace(/\/vitrine$/, `/${name}`),
    drop: () => administer(postgresUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** A clone that is open, with a tenant of the number 1 in it. */
export type OpenClone = Readonly<{ url: string; database: Database; close: () => Promise<void> }>;

export async function openClone(postgresUrl: string): Promise<OpenClone> {
  const { url, drop } = await cloneDatabase(postgresUrl);
  const database = openDatabase({ url, logger: createLogger('fatal') });
  await database.pool.query(`INSERT INTO tenant (id, name) VALUES (1, 'mine')`);
  const close = async () => {
    await database.close();
    await drop();
  };
  return { url, database, close };
}

/** Makes a database without any table. */
export async function emptyDatabase(
  postgresUrl: string,
  options = '',
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `empty_${randomBytes(6).toString('hex')}`;
  await administer(postgresUrl, `CREATE DATABASE ${name} ${options}`);
  return {
    url: postgresUrl.replace(/\/vitrine$/, `/${name}`),
    drop: () => administer(postgresUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}
