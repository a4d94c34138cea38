import type pg from 'pg';
import type { Database } from './database.ts';

/** Milliseconds until a statement that continues is canceled again. */
const cancelAgainMs = 200;

/** Cancels the current statement of a connection when the signal fires: otherwise the server would finish it first. */
export async function cancelOn(signal: AbortSignal, client: pg.Client, { pool }: Database): Promise<() => void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => {
    pool.query('SELECT pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => {}); // The connection is gone with the server.
  };
  const begin = () => {
    cancel();
    // The first cancel may have hit the gap between two statements.
    timer = setInterval(cancel, cancelAgainMs);
  };
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin);
  return () => {
    signal.removeEventListener('abort', begin);
    clearInterval(timer);
  };
}
