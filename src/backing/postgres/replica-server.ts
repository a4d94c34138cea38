import type pg from 'pg';

/** Which data a server has, and up to which position. Positions are offsets in the write-ahead log, in bytes. */
export type ServerState = Readonly<{
  /** The cluster and the database in it. */
  identity: string;
  isReplica: boolean;
  /** Changes whenever another server becomes the primary; positions on different timelines cannot be compared. */
  timeline: number;
  /**
   * For a primary, up to where the log is flushed, or only written if commits do not wait for that. For a replica,
   * what it has replayed.
   */
  position: number;
}>;

/** If commits do not wait for the disk, changes may be visible before they are flushed. */
const written = `CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
  ELSE pg_current_wal_flush_lsn() END`;

/** Why a server refuses writes, as `refusal`; null if it accepts them. */
export const refusedWrites = `
  SELECT CASE WHEN pg_is_in_recovery() THEN 'it is a replica, which refuses writes'
              WHEN current_setting('transaction_read_only') = 'on' THEN 'it is read-only (default_transaction_read_only)'
         END AS refusal`;

/** Position of the primary past everything that was written by any transaction that anybody knows to have ended. */
export const writtenPosition = { name: 'written-position', text: `SELECT (${written} - '0/0')::bigint AS position` };

/** Null for a server that is not a replica, or no longer is. */
export const replayedPosition = {
  name: 'replayed-position',
  text: `SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::bigint END AS position`,
};

/**
 * A role that may not read `pg_stat_wal_receiver` gets the timeline of the last checkpoint instead. After a failover,
 * such a replica is used again only after its next checkpoint.
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

export async function readServerState(client: pg.Pool | pg.Client): Promise<ServerState> {
  const { rows } = await (client as pg.Pool).query<ServerState>(state);
  return rows[0] as ServerState;
}

/** Why a server cannot answer in place of the primary, whatever its position; null if it can. */
export function replicaFault(replica: ServerState, primary: ServerState): string | null {
  if (replica.identity !== primary.identity) return 'it has another database';
  if (!replica.isReplica) return 'it is not a replica';
  return replica.timeline === primary.timeline ? null : 'it follows a former primary';
}
