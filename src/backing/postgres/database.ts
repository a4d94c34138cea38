import type { Socket } from 'node:net';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../../../prisma/generated/client/client.ts';
import { ActiveTenants } from '../../lib/active-tenants.ts';
import type { Logger } from '../../observability/logger.ts';
import { createBatchLoader } from './batch-loader.ts';
import type { BatchLoader } from './batch-loader.ts';
import { createPool } from './connection-pool.ts';
import { createFairConnections } from './fair-connections.ts';
import type { FairConnections } from './fair-connections.ts';
import { createOutage } from './outage.ts';
import type { Outage } from './outage.ts';
import { Replica } from './replica.ts';
import { createReplicas } from './replicas.ts';
import type { Replicas } from './replicas.ts';
import { SteadyClient } from './steady-client.ts';
import { readServerState } from './replica-server.ts';
import { databaseTimeouts } from './unavailable.ts';
import type { DatabaseTimeouts } from './unavailable.ts';

/** A named SQL text: PostgreSQL plans it once per connection. */
export type Statement = Readonly<{ name: string; text: string; types?: pg.CustomTypesConfig }>;

/** Runs statements: the pool, or a client inside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'> | Pick<pg.PoolClient, 'query'>;

/** The database with two clients: Prisma for administration and for its types, prepared SQL for the hot paths. */
export type Database = Readonly<{
  pool: pg.Pool;
  /** Opens a connection that bypasses a pooler, for a statement that may take hours. The caller must end it. */
  connect: () => Promise<pg.Client>;
  /** Replicas that may answer reads; null if there are none. */
  replicas: Replicas | null;
  prisma: PrismaClient;
  /** Combines concurrent reads by key. */
  batchLoad: BatchLoader;
  /** Shares connections among tenants. */
  fairConnections: FairConnections;
  /** Tracks the tenants that are being served. */
  activeTenants: ActiveTenants;
  /** Where callers report that a request failed because of the database. */
  outage: Outage;
  close(): Promise<void>;
}>;

type DatabaseOptions = Readonly<{
  url: string;
  /** URL of the server itself, if `url` is a pooler's. */
  directUrl?: string;
  /** URLs of its replicas. */
  readUrls?: readonly string[];
  maxConnections?: number;
  logger: Logger;
  /** Whether statements keep their names and thus their plans; a transaction pooler does not support names. */
  isPrepared?: boolean;
  timeouts?: DatabaseTimeouts;
  activeTenants?: ActiveTenants | undefined;
}>;

type Parser = (text: string) => unknown;
const oids: Readonly<Record<'int8' | 'date' | 'texts' | 'time', number>> = {
  int8: 20,
  date: 1082,
  texts: 1009,
  time: 1184,
};

/** As numbers, because 64-bit counters and ids stay far below 2^53. Dates stay the text that PostgreSQL prints. */
const parsers: Readonly<Record<number, Parser>> = {
  [oids.int8]: Number,
  [oids.date]: String,
  [oids.texts]: parseTexts,
};

function typesWith(own: Readonly<Record<number, Parser>>): pg.CustomTypesConfig {
  const getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    own[oid] ?? pg.types.getTypeParser(oid, format as 'text');
  return { getTypeParser } as pg.CustomTypesConfig; // The published type has fewer overloads than the code calls.
}

const types = typesWith(parsers);

/** For rows that are sent on unchanged: times are RFC 3339 text, which saves creating and formatting dates. */
export const printableTypes = typesWith({ ...parsers, [oids.time]: toIsoTime });

/** Parses a `text[]` as PostgreSQL prints it: `{a,"b c"}`. The lists of the catalog contain no nulls. */
export function parseTexts(text: string): string[] {
  if (text === '{}') return [];
  // The driver parses lists with escapes or nulls.
  if (/\\|\bNULL\b/i.test(text)) return parseAnyTexts(text);
  if (!text.includes('"')) return text.slice(1, -1).split(',');
  const texts: string[] = [];
  for (let at = 1; at < text.length;) {
    const isQuoted = text[at] === '"';
    const from = isQuoted ? at + 1 : at;
    const comma = isQuoted ? -1 : text.indexOf(',', from);
    const end = isQuoted ? text.indexOf('"', from) : comma === -1 ? text.length - 1 : comma;
    texts.push(text.slice(from, end));
    at = isQuoted ? end + 2 : end + 1;
  }
  return texts;
}

const parseAnyTexts = pg.types.getTypeParser(oids.texts) as (text: string) => string[];
const parseTime = pg.types.getTypeParser(oids.time);

/** Turns `2024-05-06 07:08:09.123456+00` into `2024-05-06T07:08:09.123Z`; works in any time zone of the session. */
function toIsoTime(text: string): string {
  if (text.length < 22 || text.length > 29 || !text.endsWith('+00')) return (parseTime(text) as Date).toISOString();
  const fraction = `${text.slice(20, -3)}000`.slice(0, 3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

export function openDatabase({
  url,
  directUrl = url,
  maxConnections = 20,
  logger,
  readUrls = [],
  isPrepared = true,
  timeouts = databaseTimeouts,
  activeTenants = new ActiveTenants(),
}: DatabaseOptions): Database {
  const server = { maxConnections, isPrepared, timeouts, types, logger };
  const pool = createPool({ ...server, url });
  const outage = createOutage(() => pool.query('SELECT 1'), logger);
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  const toReplica = (address: string) => {
    const name = new URL(address.replace('@/', '@socket/')).host;
    const open = (onSocket: (socket: Socket) => void) => createPool({ ...server, name, url: address, onSocket });
    return new Replica({ name, open, primary: () => readServerState(pool), logger });
  };
  const replicas = readUrls.length === 0 ? null : createReplicas(pool, readUrls.map(toReplica));
  return {
    pool,
    async connect() {
      const client = new SteadyClient({
        connectionString: directUrl,
        application_name: 'vitrine',
        keepAlive: true,
        connectionTimeoutMillis: timeouts.connectMs,
        types,
      });
      await client.connect();
      return client;
    },
    replicas,
    prisma,
    batchLoad: createBatchLoader(),
    fairConnections: createFairConnections(maxConnections, activeTenants),
    activeTenants,
    outage,
    async close() {
      outage.end();
      await replicas?.close();
      await prisma.$disconnect();
      if (!pool.ended) await pool.end();
    },
  };
}

/** Runs `work` in one transaction. Rolls back if it throws, or for a dry run. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  { isDryRun = false } = {},
): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query(isDryRun ? 'ROLLBACK' : 'COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (broken = true));
    throw error;
  } finally {
    client.release(broken);
  }
}
