import pg from 'pg';
import { lockKeys, runExclusively } from '../../backing/index.ts';
import type { Database } from '../../backing/index.ts';
import type { Logger } from '../../observability/logger.ts';
import { dropDatabaseIndex } from './drop-database-index.ts';

/**
 * The indexes of hash parts are rebuilt from `leastRows` rows on, and again whenever there are `growth` times as
 * many. Rows copied in random order of their values leave index pages a third empty. Among ten million hashes, a
 * rebuild cuts `i==` to two thirds of the time (p95 28 instead of 44 ms) and takes one core four minutes.
 */
const usual = { leastRows: 1_000_000, growth: 1.25 } as const;

/** Memory for sorting, in kilobytes; more than a million rows are sorted on disk. */
const sortMemory = 128 * 1024;

/**
 * The comment of an index says how many rows it was rebuilt with, so that an interrupted rebuild continues where it
 * stopped.
 */
const commentOf = (rows: number) => `rebuilt with ${rows} rows`;

const partIndexes = `
  SELECT i.relname AS name, t.reltuples::float8 AS rows, i.relname ~ '^fingerprint_hash_part_\\d+$' AS "isPart",
         pg_has_role(i.relowner, 'USAGE') AS "isOwn",
         coalesce(substring(obj_description(i.oid, 'pg_class') FROM '^rebuilt with (\\d+) rows$')::float8, 0) AS "rebuiltWith"
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
  WHERE x.indrelid = 'fingerprint_hash'::regclass AND i.relname LIKE 'fingerprint\\_hash\\_part\\_%' ORDER BY i.oid`;

/** `isOwn`: only the owner of an index may rebuild it. */
type PartIndex = Readonly<{ name: string; rows: number; isPart: boolean; isOwn: boolean; rebuiltWith: number }>;

type RebuildOptions = Readonly<{
  database: Database;
  logger: Logger;
  signal: AbortSignal;
  leastRows?: number;
}>;

/**
 * Rebuilds, one after the other, the indexes of hash parts that have grown since they were built, without blocking
 * searches and writes. Only one process at a time does this. When the signal fires, the server cancels the current
 * statement.
 *
 * @returns how many were rebuilt; 0 if a statement was canceled.
 */
export async function rebuildParts({
  database,
  logger,
  signal,
  leastRows = usual.leastRows,
}: RebuildOptions): Promise<number> {
  const isDue = ({ isPart, isOwn, rows, rebuiltWith }: PartIndex) =>
    isPart && isOwn && rows >= leastRows && rows >= rebuiltWith * usual.growth;
  if (signal.aborted || !(await database.pool.query<PartIndex>(partIndexes)).rows.some(isDue)) return 0;
  const work = (client: pg.Client) => rebuild(client, { isDue, logger, signal });
  const rebuilt = await runExclusively({ database, signal, lockKey: lockKeys.rebuildHashes, work });
  return typeof rebuilt === 'number' ? rebuilt : 0;
}

type Rebuild = Pick<RebuildOptions, 'logger' | 'signal'> & Readonly<{ isDue: (index: PartIndex) => boolean }>;

async function rebuild(client: pg.Client, { isDue, logger, signal }: Rebuild): Promise<number> {
  const began = performance.now();
  // Parallel workers would take cores away from searches, and need shared memory that a container may lack.
  await client.query(`SET maintenance_work_mem = '${sortMemory}kB'; SET max_parallel_maintenance_workers = 0`);
  // Read again: another process may have had the lock and rebuilt them.
  const indexes = (await client.query<PartIndex>(partIndexes)).rows;
  // The index that an interrupted rebuild leaves behind is of no use, but every write updates it.
  for (const { name, isPart } of indexes) {
    if (!isPart) await dropDatabaseIndex(client, name);
  }
  const due = indexes.filter(isDue);
  let rebuilt = 0;
  for (const { name, rows } of due) {
    if (signal.aborted) break;
    await client.query(`REINDEX INDEX CONCURRENTLY ${pg.escapeIdentifier(name)}`);
    await client.query(`COMMENT ON INDEX ${pg.escapeIdentifier(name)} IS ${pg.escapeLiteral(commentOf(rows))}`);
    rebuilt += 1;
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  if (rebuilt > 0) logger.info({ indexes: rebuilt, seconds }, 'the indexes of hashes in the database are rebuilt');
  return rebuilt;
}
