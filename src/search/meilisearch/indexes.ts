import { randomBytes } from 'node:crypto';
import type { Meilisearch } from 'meilisearch';
import { refusalIn } from '../../backing/index.ts';
import type { Database, MeilisearchClient, MeilisearchMember } from '../../backing/index.ts';
import type { Resource } from '../../catalog/index.ts';
import { settingsDigest, settingsOf } from './attributes.ts';
import { awaitTask } from './document-sender.ts';
import { findMembers, haveSameNames, knownMembers, memberNames, withEach } from './members.ts';

/** The indexes of a resource: the one that is queried, and the one that is being filled. */
export type IndexRow = Readonly<{
  resource: Resource;
  uid: string | null;
  /** Null while it must not be queried. */
  settings: string | null;
  /** The names of the members that share it; null if it was made by a version that supported only one member. */
  members: readonly string[] | null;
  nextUid: string | null;
  nextSettings: string | null;
  nextMembers: readonly string[] | null;
  /** Whether the next index is the current one with its documents being moved. */
  isMove: boolean;
  filledTo: number;
  filled: number;
  toFill: number;
  isRebuildRequested: boolean;
  /** Whether all transactions have ended that began before changes were recorded. */
  mayFill: boolean;
}>;

export async function readIndexes({ pool }: Database): Promise<IndexRow[]> {
  const { rows } = await pool.query<IndexRow>({
    name: 'meilisearch-indexes',
    text: `SELECT resource, uid, settings, members, next_uid AS "nextUid", next_settings AS "nextSettings",
        next_members AS "nextMembers", is_move AS "isMove", filled_to AS "filledTo",
        filled, to_fill AS "toFill", is_rebuild_requested AS "isRebuildRequested",
        pg_snapshot_xmin(pg_current_snapshot()) > started_in AS "mayFill"
      FROM search_index ORDER BY resource`,
  });
  return rows;
}

/** What it takes to bring an index up to date. */
type IndexTask = 'build' | 'move' | 'cancel';

/**
 * Returns the task of an index. It has to be built if there is none, if it belongs to another version, or if a
 * rebuild was requested. If only its members differ from the configured ones, documents are moved, as long as one
 * member remains.
 */
export function indexTaskOf(row: IndexRow, names: readonly string[]): IndexTask | null {
  const { resource, uid, settings, members, nextUid, nextSettings, nextMembers, isMove } = row;
  const wanted = settingsDigest[resource];
  if (row.isRebuildRequested) return 'build';
  const isCurrent = uid !== null && settings === wanted;
  if (isCurrent && haveSameNames(members, names)) {
    if (nextUid === null || haveSameNames(nextMembers, names)) return null;
    return isMove ? 'cancel' : 'build';
  }
  if (nextSettings === wanted && haveSameNames(nextMembers, names)) return null;
  return isCurrent && members?.some((name) => names.includes(name)) === true ? 'move' : 'build';
}

export type IndexDeps = Readonly<{ client: MeilisearchClient; signal: AbortSignal }>;

/** Returns a name for a new index. */
export function newUid(resource: Resource): string {
  return `vitrine_${resource}_${settingsDigest[resource]}_${randomBytes(6).toString('hex')}`;
}

/** Creates an empty index with the settings of this version. */
export async function createIndexOn(
  { writer }: MeilisearchMember,
  uid: string,
  { resource, signal }: Readonly<{ resource: Resource; signal: AbortSignal }>,
): Promise<void> {
  const deps = { writer, signal };
  await awaitTask(deps, (await writer.createIndex(uid, { primaryKey: 'id' })).taskUid);
  await awaitTask(deps, (await writer.index(uid).updateSettings(settingsOf[resource])).taskUid);
}

/** Creates an index on all members, to be filled. An unfinished one is dropped. */
export async function beginBuild({ pool }: Database, { client, signal }: IndexDeps, row: IndexRow): Promise<void> {
  const { resource } = row;
  const uid = newUid(resource);
  await withEach(client.members, (member) => createIndexOn(member, uid, { resource, signal }));
  // Changes can only be sent to an index if all its members are configured; any other must no longer be queried.
  const isKept = findMembers(client, row.members) !== null;
  await pool.query(
    `UPDATE search_index SET next_uid = $2, next_settings = $3, next_members = $4, is_move = false, filled_to = 0,
       filled = 0, is_rebuild_requested = false, settings = CASE WHEN $5 THEN settings END,
       indexed_version = indexed_version + CASE WHEN $5 THEN 0 ELSE 1 END,
       started_in = pg_current_xact_id(), to_fill = (SELECT count(*) FROM ${resource}) WHERE resource = $1`,
    [resource, uid, settingsDigest[resource], memberNames(client.members), isKept],
  );
  await dropNext(client, row);
}

/** Drops the index that is being filled. */
export async function dropNext(client: MeilisearchClient, { nextUid, nextMembers }: IndexRow): Promise<void> {
  if (nextUid !== null) await dropIndex(knownMembers(client, nextMembers), nextUid);
}

/** Records how far an index (`uid`) is filled; does nothing if another process has started filling a different one. */
export async function noteFilled({ pool }: Database, uid: string, to: number, count: number): Promise<void> {
  const text = 'UPDATE search_index SET filled_to = greatest(filled_to, $2), filled = filled + $3 WHERE next_uid = $1';
  await pool.query(text, [uid, to, count]);
}

/**
 * Switches queries to the filled index and drops the old one.
 *
 * @returns false, and changes nothing, if another process has started filling a different index.
 */
export async function finishBuild(
  { pool }: Database,
  client: MeilisearchClient,
  { uid, members, nextUid, isMove }: IndexRow,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE search_index SET uid = next_uid, settings = next_settings, members = next_members, filled_at = now(),
       next_uid = NULL, next_settings = NULL, next_members = NULL, is_move = false WHERE next_uid = $1`,
    [nextUid],
  );
  if (rowCount === 0) return false;
  // After a move there is no index with the old name.
  if (uid !== null && !isMove) await dropIndex(knownMembers(client, members), uid);
  return true;
}

/**
 * Records which member has an index made by a version that supported only one address, or whose only address has
 * changed.
 */
export async function adoptIndexes(
  { pool }: Database,
  { members }: MeilisearchClient,
  rows: readonly IndexRow[],
): Promise<void> {
  const [only] = members;
  for (const { resource, uid, members: former, nextMembers } of rows) {
    if (members.length === 1) {
      if ((former?.length ?? 1) > 1 || haveSameNames(former, [only.name])) continue;
      const names = [[only.name], (nextMembers?.length ?? 1) > 1 ? nextMembers : [only.name]];
      await pool.query('UPDATE search_index SET members = $2, next_members = $3 WHERE resource = $1', [
        resource,
        ...names,
      ]);
    } else if (uid !== null && former === null) {
      const owner = await ownerOf(members, uid);
      await pool.query(
        `UPDATE search_index SET members = $2, settings = CASE WHEN $2::text[] IS NOT NULL THEN settings END,
           uid = CASE WHEN $2::text[] IS NOT NULL THEN uid END WHERE resource = $1`,
        [resource, owner === null ? null : [owner.name]],
      );
    }
  }
}

async function ownerOf(members: readonly MeilisearchMember[], uid: string): Promise<MeilisearchMember | null> {
  for (const member of members) if (await exists(member.writer, uid)) return member;
  return null;
}

export async function exists(writer: Meilisearch, uid: string): Promise<boolean> {
  try {
    await writer.getRawIndex(uid);
    return true;
  } catch (error) {
    if (refusalIn(error)?.status === 404) return false;
    throw error;
  }
}

export async function dropIndex(members: readonly MeilisearchMember[], uid: string): Promise<void> {
  await withEach(members, ({ writer }) =>
    writer.deleteIndex(uid).catch((error: unknown) => {
      if (refusalIn(error) === null) throw error; // It is already gone.
    }),
  );
}
