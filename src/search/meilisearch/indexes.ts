import { randomBytes } from 'node:crypto';
import type { Meilisearch } from 'meilisearch';
import { refusalIn } from '../../backing/index.ts';
import type { Database } from '../../backing/index.ts';
import type { Resource } from '../../catalog/index.ts';
import { settingsDigest, settingsOf } from './attributes.ts';
import { awaitTask } from './document-sender.ts';

/** The indexes of a resource: the one that is queried, and the one that is being filled. */
export type IndexRow = Readonly<{
  resource: Resource;
  uid: string | null;
  settings: string | null;
  nextUid: string | null;
  nextSettings: string | null;
  filledTo: number;
  filled: number;
  toFill: number;
  isRebuildRequested: boolean;
  /** Whether every transaction that may not have recorded its changes has ended. */
  mayFill: boolean;
}>;

export async function readIndexes({ pool }: Database): Promise<IndexRow[]> {
  const { rows } = await pool.query<IndexRow>({
    name: 'meilisearch-indexes',
    text: `SELECT resource, uid, settings, next_uid AS "nextUid", next_settings AS "nextSettings", filled_to AS "filledTo",
        filled, to_fill AS "toFill", is_rebuild_requested AS "isRebuildRequested",
        pg_snapshot_xmin(pg_current_snapshot()) > started_in AS "mayFill"
      FROM search_index ORDER BY resource`,
  });
  return rows;
}

/** Whether an index must be built: there is none, it belongs to another version, or a rebuild was requested. */
export function needsBuild({ resource, settings, nextSettings, isRebuildRequested }: IndexRow): boolean {
  const wanted = settingsDigest[resource];
  return isRebuildRequested || (settings !== wanted && nextSettings !== wanted);
}

/** Creates an index with the settings of this version, to be filled. An unfinished one is dropped. */
export async function beginBuild(
  { pool }: Database,
  { writer, signal }: Readonly<{ writer: Meilisearch; signal: AbortSignal }>,
  row: IndexRow,
): Promise<void> {
  const { resource } = row;
  const deps = { writer, signal };
  const uid = `vitrine_${resource}_${settingsDigest[resource]}_${randomBytes(6).toString('hex')}`;
  await awaitTask(deps, (await writer.createIndex(uid, { primaryKey: 'id' })).taskUid);
  await awaitTask(deps, (await writer.index(uid).updateSettings(settingsOf[resource])).taskUid);
  await pool.query(
    `UPDATE search_index SET next_uid = $2, next_settings = $3, filled_to = 0, filled = 0, is_rebuild_requested = false,
       started_in = pg_current_xact_id(), to_fill = (SELECT count(*) FROM ${resource}) WHERE resource = $1`,
    [resource, uid, settingsDigest[resource]],
  );
  if (row.nextUid !== null) await dropIndex(writer, row.nextUid);
}

/** Records how far an index (`uid`) is filled; does nothing if another process is by now filling another one. */
export async function noteFilled({ pool }: Database, uid: string, to: number, count: number): Promise<void> {
  const text = 'UPDATE search_index SET filled_to = $2, filled = filled + $3 WHERE next_uid = $1';
  await pool.query(text, [uid, to, count]);
}

/**
 * Switches queries to the filled index and drops the old one.
 *
 * @returns false, with nothing done, if another process is by now filling another index.
 */
export async function finishBuild(
  { pool }: Database,
  writer: Meilisearch,
  { uid, nextUid }: IndexRow,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE search_index SET uid = next_uid, settings = next_settings, filled_at = now(), next_uid = NULL,
       next_settings = NULL WHERE next_uid = $1`,
    [nextUid],
  );
  if (rowCount === 0) return false;
  if (uid !== null) await dropIndex(writer, uid);
  return true;
}

/** Forgets indexes that Meilisearch no longer has. */
export async function forgetLost({ pool }: Database, writer: Meilisearch, rows: readonly IndexRow[]): Promise<void> {
  for (const { resource, uid, nextUid } of rows) {
    if (uid !== null && !(await exists(writer, uid)))
      await pool.query('UPDATE search_index SET uid = NULL, settings = NULL WHERE resource = $1', [resource]);
    if (nextUid !== null && !(await exists(writer, nextUid)))
      await pool.query('UPDATE search_index SET next_uid = NULL, next_settings = NULL WHERE resource = $1', [resource]);
  }
}

async function exists(writer: Meilisearch, uid: string): Promise<boolean> {
  try {
    await writer.getRawIndex(uid);
    return true;
  } catch (error) {
    if (refusalIn(error)?.status === 404) return false;
    throw error;
  }
}

async function dropIndex(writer: Meilisearch, uid: string): Promise<void> {
  await writer.deleteIndex(uid).catch((error: unknown) => {
    if (refusalIn(error) === null) throw error; // It is already gone.
  });
}
