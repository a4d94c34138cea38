import type { Pool } from 'pg';
import type pg from 'pg';

/** Which data a server has, and how far. Positions are bytes of the write-ahead log. */
export type ServerState = Readonly<{
  /** The cluster and the database in it. */
  identity: string;
  isReplica: boolean;
  /** Changes when another server becomes the primary; positions of two timelines cannot be compared. */
  timeline: number;
  /** Of a primary: what is on its disk. Of a replica: what it has replayed. */
  position: number;
}>;

/** Where commits do not wait for the disk, what they wrote may be visible before it is there. */
const written = `CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
  ELSE pg_current_wal_flush_lsn() END`;

/** Everything that a transaction wrote whose end anybody knows of lies before this position of the primary. */
export const writtenPosition = { name: 'written-position', text: `SELECT (${written} - '0/0')::bigint AS position` };

/** Null of a server that is no replica (any more). */
export const replayedPosition = {
  name: 'replayed-position',
  text: `SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::bigint END AS position`,
};

/**
 * A role that may not see the receiver gets the timeline of the last checkpoint: after a failover such a replica is used
 * again once it has made one.
 */
const state = `
  SELECT (SELECT system_identifier::text FROM pg_control_system()) || ' ' ||
           (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS identity,
         pg_is_in_recovery() AS "isReplica",
         CASE WHEN pg_is_in_recovery()
           THEN COALESCE((SELECT received_tli FROM pg_stat_wal_receiver),
                         (SELECT timeline_id FROM pg_control_checkpoint()))
           ELSE ('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int END AS timeline,
         (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE ${written} END - '0/0')::float8 AS position`;

export async function readServerState(client: Pool | pg.Client): Promise<ServerState> {
  const { rows } = await (client as Pool).query<ServerState>(state);
  return rows[0] as ServerState;
}

/** Why a server cannot answer for the primary, however far it is; null if it can. */
export function replicaFault(replica: ServerState, primary: ServerState): string | null {
  if (replica.identity !== primary.identity) return 'it has another database';
  if (!replica.isReplica) return 'it is not a replica';
  return replica.timeline === primary.timeline ? null : 'it follows a former primary';
}
