import type { PoolClient } from 'pg';
import { isPersistent } from '../run/patience.ts';

/** Runs statements inside a savepoint: if they fail, the transaction continues without them. @throws what `work` throws. */
export async function behindSavepoint<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('SAVEPOINT attempt');
  try {
    const result = await work();
    await client.query('RELEASE SAVEPOINT attempt');
    return result;
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT attempt');
    throw error;
  }
}

/** PostgreSQL's error classes 22 (data), 23 (constraints) and 54 (limits): the data being stored is at fault. */
const dataFault = /^(?:22|23|54)/;

/**
 * Whether an error fails only the element being stored, not the whole chunk: its data is at fault, or elements are
 * stored one by one (`isOneByOne`) because earlier attempts failed as a whole. An error that a retry can overcome,
 * such as a deadlock or an unavailable database, is no element's fault.
 */
export function isOfElement(error: unknown, isOneByOne: boolean): boolean {
  if (dataFault.test(String((error as { code?: unknown }).code))) return true;
  return isOneByOne && isPersistent(error);
}
