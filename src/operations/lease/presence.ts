import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import { processIsAlive } from '../../backing/index.ts';
import type { Database, Notifications } from '../../backing/index.ts';
import { loadOnce } from '../../lib/load-once.ts';
import { absentSeconds } from '../limits.ts';

/** A worker's heartbeat in the database. */
type Presence = Readonly<{
  /** The worker's id, which marks its leases and chunks as its own. */
  id: string;
  /** Resolves once other processes can see the worker. */
  announced(): Promise<void>;
  renew(): Promise<void>;
  end(): Promise<void>;
}>;

/** Less often than workers check for dead ones, because an idle service should not keep writing. */
const renewSeconds = absentSeconds / 4;

export function announceWorker(
  { pool }: Database,
  { session }: Notifications,
  mediaRoots: readonly string[],
): Presence {
  const id = randomUUID();

  async function renew(): Promise<void> {
    await pool.query(
      `INSERT INTO service_process AS p (id, role, pid, host, session, media_roots)
       VALUES ($1, 'worker', $2, $3, $4, $5)
       ON CONFLICT (id) DO UPDATE SET seen_at = now() WHERE p.seen_at < now() - interval '${renewSeconds} s'`,
      [id, process.pid, hostname(), session, mediaRoots],
    );
  }

  return {
    id,
    announced: loadOnce(renew),
    renew,
    async end() {
      // Unmarks unfinished chunks, so that the next worker does not treat them as suspects.
      await pool.query('UPDATE operation_chunk SET begun_by = NULL, trying = NULL WHERE begun_by = $1', [id]);
      await pool.query('DELETE FROM service_process WHERE id = $1', [id]);
    },
  };
}

type Suspect = Readonly<{ id: string; pid: number; host: string; isAbsent: boolean }>;

/** Workers whose session is gone: they died, or the database has just come back up. */
const withoutSession = `
  SELECT id, pid, host, seen_at < now() - interval '${absentSeconds} s' AS "isAbsent" FROM service_process p
  WHERE id <> $1 AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.application_name = p.session)`;

/** Leases of workers that no longer exist. Those locked by a transaction are left for the next check. */
const orphanedLeases = `
  DELETE FROM tenant_lease WHERE tenant_id IN (
    SELECT tenant_id FROM tenant_lease t
    WHERE NOT EXISTS (SELECT FROM service_process p WHERE p.id = t.process_id)
    FOR UPDATE SKIP LOCKED)`;

/**
 * Removes dead workers from the list and frees their leases. A missing session counts only together with a second
 * sign: the process is gone from this machine, or has been silent for long. So restarting the database does not make
 * workers look dead.
 */
export async function removeDeadWorkers({ pool }: Database, self: string): Promise<void> {
  const { rows } = await pool.query<Suspect>(withoutSession, [self]);
  const dead = rows.filter(({ pid, host, isAbsent }) => isAbsent || (host === hostname() && isGone(pid)));
  const ids = dead.map(({ id }) => id);
  if (ids.length > 0) await pool.query('DELETE FROM service_process WHERE id = ANY($1)', [ids]);
  await pool.query(orphanedLeases);
}

/**
 * A container gives its program the same process id at every start, so a worker with our own id was an earlier run of
 * this program.
 */
function isGone(pid: number): boolean {
  return pid === process.pid || !processIsAlive(pid);
}

/** Whether any process currently applies operations. */
export async function hasLiveWorker({ pool }: Database): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM service_process WHERE seen_at > now() - interval '${absentSeconds} s' LIMIT 1`,
  );
  return rowCount !== 0;
}

/** Folders that the current workers read sources from, those of workers on this machine first. */
export async function liveMediaRoots({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ root: string }>(
    `SELECT root FROM service_process p, unnest(p.media_roots) WITH ORDINALITY AS r(root, place)
     WHERE seen_at > now() - interval '${absentSeconds} s' ORDER BY host <> $1, p.started_at, place`,
    [hostname()],
  );
  return [...new Set(rows.map(({ root }) => root))];
}
