import type pg from 'pg';
import type { Database } from './database.ts';

/** How long to wait, in milliseconds, before a statement that is still running is canceled again. */
const cancelAgainMs = 200;

/**
 * When the signal fires, cancels the connection's current statement, which the server would otherwise run to its end.
 */
export async function cancelOn(signal: AbortSignal, client: pg.Client, { pool }: Database): Promise<() => void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => {
    pool.query('SELECT pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => {}); // The connection is gone with the server.
  };
  const begin = () => {
    cancel();
    // The first cancel may have come between two statements.
    timer = setInterval(cancel, cancelAgainMs);
  };
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin);
  return () => {
    signal.removeEventListener('abort', begin);
    clearInterval(timer);
  };
}
