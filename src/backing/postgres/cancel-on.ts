import type pg from 'pg';
import type { Database } from './database.ts';

/** Until a connection that goes on is canceled again. */
const cancelAgainMs = 200;

/** Cancels what a connection is at when the signal fires: otherwise the server would end it first. */
export async function cancelOn(signal: AbortSignal, client: pg.Client, { pool }: Database): Promise<() => void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => {
    pool.query('SELECT pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => {}); // It is gone with the server.
  };
  const begin = () => {
    cancel();
    // It may have been between two statements.
    timer = setInterval(cancel, cancelAgainMs);
  };
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin);
  return () => {
    signal.removeEventListener('abort', begin);
    clearInterval(timer);
  };
}
