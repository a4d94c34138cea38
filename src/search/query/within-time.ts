import type { PoolClient } from 'pg';
import { inTransaction, isOverdue } from '../../backing/index.ts';
import type { TenantDb } from '../../tenants/index.ts';

/** Queries the database for a limited time; returns null if time runs out. */
export async function withinTime<T>(
  { pool, search }: TenantDb,
  milliseconds: number,
  ask: (client: PoolClient) => Promise<T>,
): Promise<T | null> {
  try {
    return await search(() =>
      inTransaction(pool, async (client) => {
        await client.query(`SET LOCAL statement_timeout = ${milliseconds}`);
        return ask(client);
      }),
    );
  } catch (error) {
    if (isOverdue(error)) return null;
    throw error;
  }
}
