import type { Database, MeilisearchClient, MeilisearchMember } from '../../backing/index.ts';
import { settingsDigest } from './attributes.ts';
import { awaitTask, removeDocuments } from './document-sender.ts';
import { readDocuments, readRowIdsAfter } from './documents.ts';
import type { DocumentRow } from './documents.ts';
import { createIndexOn, dropNext, exists, newUid } from './indexes.ts';
import type { IndexDeps, IndexRow } from './indexes.ts';
import { readChangedRowIds } from './outbox.ts';
import { findMembers, knownMembers, memberNames, ownerOf, groupByOwner, withEach } from './members.ts';

// When addresses are added or removed, only documents whose member changes are moved. A document is copied to its new
// member while the former members still answer, and removed from its former one after they have stopped. They stop
// because the index gets a new name: a query that started earlier no longer finds it, and PostgreSQL answers instead.
// So no query ever counts a document twice or misses one, however long the move takes.

/** Records checked at a time. */
const blockSize = 5_000;

/** Whether PostgreSQL answers while documents are being moved, because the index has been renamed or soon will be. */
export function isSettling({ isMove, settings }: IndexRow): boolean {
  return isMove && settings === null;
}

/** Returns the members that an index is moved to and that had no part of it before. */
export function newcomersOf({ members }: MeilisearchClient, row: IndexRow): MeilisearchMember[] {
  return members.filter(({ name }) => row.members?.includes(name) !== true);
}

/**
 * Starts moving documents from the members of the row to the configured ones. If any former member is not configured
 * or is incomplete, PostgreSQL answers from the start: records are missing, and their copies on other members would
 * count twice.
 */
export async function beginMove(
  { pool }: Database,
  { client, signal }: IndexDeps,
  row: IndexRow,
  isComplete: boolean = findMembers(client, row.members) !== null,
): Promise<void> {
  const { resource, members } = row;
  const uid = newUid(resource);
  await withEach(newcomersOf(client, row), (member) => createIndexOn(member, uid, { resource, signal }));
  const most = Math.max(members?.length ?? 0, client.members.length);
  const share = 1 - knownMembers(client, members).length / most;
  await pool.query(
    `UPDATE search_index SET next_uid = $2, next_settings = $3, next_members = $4, is_move = true, filled_to = 0,
       filled = 0, settings = CASE WHEN $5 THEN settings END, members = $6, indexed_version = indexed_version + 1,
       started_in = pg_current_xact_id(), to_fill = (SELECT count(*) FROM ${resource}) * $7::float8 WHERE resource = $1`,
    [resource, uid, settingsDigest[resource], memberNames(client.members), isComplete, members, share],
  );
  await dropNext(client, row);
}

/** Cancels a move, because the members that have the documents are the configured ones again. */
export async function cancelMove({ pool }: Database, client: MeilisearchClient, row: IndexRow): Promise<void> {
  await pool.query(
    `UPDATE search_index SET next_uid = NULL, next_settings = NULL, next_members = NULL, is_move = false
     WHERE resource = $1`,
    [row.resource],
  );
  await dropNext(client, row);
}

/** Reads the documents whose member changes, from the next records after a row id. */
export async function readMoved(
  database: Database,
  { members }: MeilisearchClient,
  row: IndexRow,
  after: number,
): Promise<Readonly<{ documents: readonly DocumentRow[]; to: number; isLast: boolean }>> {
  const rowIds = await readRowIdsAfter(database, row.resource, after, blockSize);
  const moved = rowIds.filter((rowId) => ownerOf(members, rowId).name !== formerOwnerOf(row, rowId));
  const documents = await readDocuments(database, row.resource, moved.map(String));
  return {
    documents: documents.toSorted((a, b) => a.id - b.id),
    to: rowIds.at(-1) ?? after,
    isLast: rowIds.length < blockSize,
  };
}

function formerOwnerOf({ members }: IndexRow, rowId: number): string {
  return ownerOf(
    (members ?? []).map((name) => ({ name })),
    rowId,
  ).name;
}

/**
 * Lets PostgreSQL answer from now on: all documents are on their new members, but some are still on their former
 * ones, too.
 */
export async function beginSettling({ pool }: Database, { nextUid }: IndexRow): Promise<void> {
  await pool.query(
    'UPDATE search_index SET settings = NULL, indexed_version = indexed_version + 1 WHERE next_uid = $1 AND is_move',
    [nextUid],
  );
}

/** Gives the index its new name on the members that keep their part of it. Can be repeated safely. */
export async function renameIndexes({ client, signal }: IndexDeps, row: IndexRow): Promise<void> {
  const { uid, nextUid } = row;
  if (uid === null || nextUid === null) return;
  await withEach(knownMembers(client, row.members), async ({ writer }) => {
    if (await exists(writer, nextUid)) return;
    await awaitTask({ writer, signal }, (await writer.updateIndex(uid, { uid: nextUid })).taskUid);
  });
}

/**
 * Removes documents from members that no longer keep them, for the next records after a row id. At the end, this
 * includes records that were deleted before they could be read here, because soon nothing will tell where they were.
 *
 * @returns null at the end.
 */
export async function removeMoved(
  database: Database,
  deps: IndexDeps,
  row: IndexRow,
  after: number,
): Promise<number | null> {
  const { members } = deps.client;
  const hasMoved = (rowId: number) => ownerOf(members, rowId).name !== formerOwnerOf(row, rowId);
  const rowIds = await readRowIdsAfter(database, row.resource, after, blockSize);
  await removeFromFormer(deps, row, rowIds.filter(hasMoved));
  if (rowIds.length === blockSize) return rowIds.at(-1) ?? null;
  await removeFromFormer(deps, row, (await readChangedRowIds(database, row.resource)).filter(hasMoved));
  return null;
}

/** Removes records from the members that kept them before a move, as far as these still have a part of the index. */
export async function removeFromFormer(
  { client, signal }: IndexDeps,
  row: IndexRow,
  rowIds: readonly number[],
): Promise<void> {
  const uid = row.nextUid ?? '';
  const former = (row.members ?? []).map((name) => ({ name }));
  if (rowIds.length === 0 || former.length === 0) return;
  const shares = groupByOwner(former, rowIds, (rowId) => rowId);
  await withEach(shares, async ([{ name }, share]) => {
    const member = client.members.find((each) => each.name === name);
    if (member !== undefined) await removeDocuments({ writer: member.writer, uid, signal }, share.map(String));
  });
}
