import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { createRecords } from './records.ts';

const batch = 5000;
/** Connections that load at the same time; each is a process of PostgreSQL. */
const connections = 2;

const columns = {
  image_id: 'text',
  lang: 'language',
  title: 'text',
  headline: 'text',
  caption: 'text',
  alt_text: 'text',
  status: 'text',
  date: 'text',
  date_start: 'date',
  date_end: 'date',
  country: 'text',
  city: 'text',
  event: 'text',
  author: 'text',
  provider: 'text',
  medium: 'text',
  shot: 'text',
  keywords: 'text[]',
  categories: 'text[]',
  collections: 'text[]',
  nsfw: 'boolean',
  ai_generated: 'boolean',
  model_release: 'boolean',
  n_faces: 'integer',
  bw: 'boolean',
  width: 'integer',
  height: 'integer',
  created_at: 'timestamptz',
} as const;

const names = Object.keys(columns).join(', ');
const typed = Object.entries(columns)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');

/** Writes the records through the triggers that every write goes through. */
const insert = `INSERT INTO image (tenant_id, format, byte_size, checksum, ${names})
  SELECT $1, 'jpeg', 100000, '', ${names} FROM json_to_recordset($2::json) AS r(${typed})`;

/** Fills a tenant's catalog; returns the seconds it took, index and statistics included. */
export async function loadRecords(databaseUrl: string, tenantId: number, count: number): Promise<number> {
  const began = performance.now();
  let next = 0;
  const load = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    // What a crash would lose is made again.
    await client.query('SET synchronous_commit = off');
    while (next < count) {
      const from = next;
      next = Math.min(count, from + batch);
      await client.query({ name: 'load', text: insert, values: [tenantId, JSON.stringify(createRecords(from, next))] });
    }
    await client.end();
  };
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = 'image' AND indexdef NOT LIKE '% UNIQUE %'`,
  );
  // One pass at the end instead of changes for every record.
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  await Promise.all(Array.from({ length: connections }, load));
  await client.query(`SET maintenance_work_mem = '512MB'`);
  for (const { definition } of rows) await client.query(definition);
  await client.query('VACUUM ANALYZE image');
  await client.end();
  return (performance.now() - began) / 1000;
}
