import pg from 'pg';

/** Drops an index without blocking searches and writes. */
export async function dropDatabaseIndex(client: pg.Client, name: string): Promise<void> {
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${pg.escapeIdentifier(name)}`);
}
