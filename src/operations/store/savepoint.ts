import type { PoolClient } from 'pg';

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

/** PostgreSQL's classes 22 (data), 23 (constraints) and 54 (limits): the stored data is at fault. */
export function isDataFault(error: unknown): boolean {
  return /^(22|23|54)/.test(String((error as { code?: unknown }).code));
}
