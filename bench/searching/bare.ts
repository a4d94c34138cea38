import pg from 'pg';

/**
 * Creates the baseline: a table with the same columns and records, and the indexes that one would create by hand for
 * these queries, but without triggers, constraints and the write-ahead log.
 */
export async function createBareTable(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`
    SET maintenance_work_mem = '512MB';
    CREATE UNLOGGED TABLE bare_image AS SELECT * FROM image;
    CREATE UNIQUE INDEX ON bare_image (tenant_id, image_id);
    CREATE INDEX ON bare_image (tenant_id, created_at DESC, image_id);
    CREATE INDEX ON bare_image (tenant_id, date_start DESC NULLS LAST, image_id);
    CREATE INDEX ON bare_image (tenant_id, country, created_at DESC);
    CREATE INDEX ON bare_image (tenant_id, city);
    CREATE INDEX ON bare_image (tenant_id, author);
    CREATE INDEX ON bare_image USING gin (tenant_id, keywords);
    CREATE INDEX ON bare_image USING gin (stems);
    CREATE INDEX ON bare_image USING gin (words)`);
  await client.query('VACUUM ANALYZE bare_image');
  await client.end();
}
