import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../../prisma/generated/client/client.ts';
import type { Logger } from '../logger.ts';

/** A named SQL text: PostgreSQL plans it once per connection. */
export type Statement = Readonly<{ name: string; text: string }>;

/** What runs a statement: the pool, or one client inside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'> | Pick<pg.PoolClient, 'query'>;

/** The database, twice: Prisma for types and administration, prepared SQL for the hot paths. */
export type Database = Readonly<{
  pool: pg.Pool;
  prisma: PrismaClient;
  close(): Promise<void>;
}>;

export type DatabaseOptions = Readonly<{ url: string; maxConnections?: number; logger: Logger }>;

const int8 = 20;
const date = 1082;

/** 64-bit counters and ids stay far below 2^53; dates stay the text that PostgreSQL prints. */
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === int8) return Number;
    if (oid === date) return String;
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

export function openDatabase({ url, maxConnections = 20, logger }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    types: types as pg.CustomTypesConfig, // The published type knows fewer overloads than the code calls.
    application_name: 'vitrine',
    connectionTimeoutMillis: 15_000,
    keepAlive: true,
  });
  pool.on('error', (error) => logger.warn({ error: error.message }, 'a database connection was lost'));
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  return {
    pool,
    prisma,
    async close() {
      await prisma.$disconnect();
      if (!pool.ended) await pool.end();
    },
  };
}

/** Runs `work` in one transaction; rolls back when it throws. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (broken = true));
    throw error;
  } finally {
    client.release(broken);
  }
}
