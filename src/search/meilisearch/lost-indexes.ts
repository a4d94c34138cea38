import type { Database, MeilisearchMember } from '../../backing/index.ts';
import { settingsDigest } from './attributes.ts';
import { dropIndex, exists } from './indexes.ts';
import type { IndexDeps, IndexRow } from './indexes.ts';
import { knownMembers, memberNames } from './members.ts';
import { beginMove, isSettling } from './moves.ts';

/**
 * Forgets indexes that Meilisearch no longer has. If only some members have lost their part of one, it is sent to
 * them again.
 */
export async function forgetLost(database: Database, deps: IndexDeps, rows: readonly IndexRow[]): Promise<void> {
  for (const row of rows) {
    const { uid, nextUid, isMove } = row;
    const settles = isSettling(row);
    const owners = uid === null || settles ? [] : knownMembers(deps.client, row.members);
    const left = await membersWith(owners, [uid]);
    const isLost = left.length < owners.length;
    const isNextLost = nextUid !== null && !(await isNextThere(row, deps));
    const canMove = left.length > 0 && nextUid === null && row.settings === settingsDigest[row.resource];
    if (isLost && canMove) await beginMove(database, deps, { ...row, members: memberNames(left) }, false);
    else await forget(database, deps, row, { isLost: isLost || (settles && isNextLost), isNextLost: isNextLost || (isLost && isMove) }); // prettier-ignore
  }
}

async function forget(
  { pool }: Database,
  { client }: IndexDeps,
  { resource, uid, members, nextUid, nextMembers }: IndexRow,
  { isLost, isNextLost }: Readonly<{ isLost: boolean; isNextLost: boolean }>,
): Promise<void> {
  if (isLost) await pool.query('UPDATE search_index SET uid = NULL, settings = NULL WHERE resource = $1', [resource]);
  if (isNextLost) {
    await pool.query(
      `UPDATE search_index SET next_uid = NULL, next_settings = NULL, next_members = NULL, is_move = false
       WHERE resource = $1`,
      [resource],
    );
  }
  if (client.members.length === 1) return;
  // What is left of it is useless.
  if (isLost && uid !== null) await dropIndex(knownMembers(client, members), uid);
  if (isNextLost && nextUid !== null) await dropIndex(knownMembers(client, nextMembers), nextUid);
}

/**
 * Whether all members have the next index. During a move, members that keep their part have it under the old or the
 * new name.
 */
async function isNextThere({ uid, members, nextUid, nextMembers, isMove }: IndexRow, { client }: IndexDeps) {
  const keeps = ({ name }: MeilisearchMember) => isMove && members?.includes(name) === true;
  const next = knownMembers(client, nextMembers);
  const former = next.filter(keeps);
  const added = next.filter((member) => !keeps(member));
  const found = [...(await membersWith(added, [nextUid])), ...(await membersWith(former, [uid, nextUid]))];
  return found.length === next.length;
}

/** Returns the members that have an index with one of these names. */
async function membersWith(
  members: readonly MeilisearchMember[],
  uids: readonly (string | null)[],
): Promise<MeilisearchMember[]> {
  const found: MeilisearchMember[] = [];
  for (const member of members) {
    const has = await Promise.all(uids.map((uid) => uid !== null && exists(member.writer, uid)));
    if (has.includes(true)) found.push(member);
  }
  return found;
}
