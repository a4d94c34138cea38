import type pg from 'pg';
import { cancelOn } from './cancel-on.ts';
import type { Database } from './database.ts';

type ExclusiveWork<T> = Readonly<{
  database: Database;
  /** When it fires, the server cancels the current statement. */
  signal: AbortSignal;
  /** Advisory lock key: a number for each kind of work. */
  lockKey: number;
  work: (client: pg.Client) => Promise<T>;
}>;

/**
 * Runs work that may take hours, on a connection of its own and without a statement timeout. Only one process at a
 * time does work of the same kind.
 *
 * @returns its result; `busy` if another process is doing it, `aborted` if the signal has fired.
 */
export async function runExclusively<T>({
  database,
  signal,
  lockKey,
  work,
}: ExclusiveWork<T>): Promise<T | 'busy' | 'aborted'> {
  const client = await database.connect();
  let stopCanceling = () => {};
  try {
    stopCanceling = await cancelOn(signal, client, database);
    await client.query('SET statement_timeout = 0');
    const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', [lockKey]);
    return rows[0]?.got === true ? await work(client) : 'busy';
  } catch (error) {
    if (signal.aborted) return 'aborted';
    throw error;
  } finally {
    stopCanceling();
    await client.end();
  }
}
