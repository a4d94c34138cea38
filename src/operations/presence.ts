import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import type { Database } from '../backing/index.ts';

/** A worker that has not been seen for this long is taken for dead. */
const absentSeconds = 10;

/** A worker's sign of life in the database. */
export type Presence = Readonly<{ renew(): Promise<void>; end(): Promise<void> }>;

export function announceWorker({ pool }: Database): Presence {
  const id = randomUUID();
  return {
    async renew() {
      await pool.query(
        `INSERT INTO service_process (id, role, pid, host) VALUES ($1, 'worker', $2, $3)
         ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
        [id, process.pid, hostname()],
      );
      await pool.query(`DELETE FROM service_process WHERE seen_at < now() - interval '1 hour'`);
    },
    async end() {
      await pool.query('DELETE FROM service_process WHERE id = $1', [id]);
    },
  };
}

/** Whether some process applies operations now. */
export async function hasLiveWorker({ pool }: Database): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM service_process WHERE seen_at > now() - interval '${absentSeconds} s' LIMIT 1`,
  );
  return rowCount !== 0;
}
