import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { openDatabase } from '../../src/backing/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { countCommonWords } from '../../src/operations/count-words.ts';
import { createRecords } from './records.ts';

const batch = 5000;
/**
 * Records beyond this number are copies of earlier ones, including everything that triggers derived from them:
 * searched values keep the same distribution.
 */
const throughTriggers = 1_000_000;
const copiedAtOnce = 250_000;
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
  SELECT $1, 'jpeg', 100000, sha256(image_id::bytea), ${names} FROM json_to_recordset($2::json) AS r(${typed})`;

/** What the catalog still lacks (indexes are created last), and how long the steps have taken so far. */
const progress = `CREATE TABLE IF NOT EXISTS bench_index (name TEXT PRIMARY KEY, definition TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS bench_step (name TEXT NOT NULL, seconds FLOAT8 NOT NULL)`;

/**
 * Fills a tenant's catalog; returns the seconds that this took, including indexes and statistics. Whatever an
 * interrupted run has loaded is kept, and its time counts.
 */
export async function loadRecords(databaseUrl: string, tenantId: number, count: number): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(progress);
  // Anything lost in a crash is loaded again.
  await client.query(`SET synchronous_commit = off; SET maintenance_work_mem = '2GB'`);
  const loaded = await countOf(client);
  if (loaded < count) await removeIndexes(client);
  if (loaded < Math.min(count, throughTriggers)) {
    await takeTime(client, 'write', () => writeRecords({ databaseUrl, tenantId, from: loaded, count }));
  }
  for (let from = Math.max(loaded, throughTriggers); from < count; from += copiedAtOnce) {
    await takeTime(client, `copy ${from}`, () => copyRecords(client, from, Math.min(count, from + copiedAtOnce)));
  }
  if (loaded < count) await setTotals(client, tenantId, count);
  await createIndexes(client);
  if (loaded < count) await takeTime(client, 'vacuum', () => client.query('VACUUM ANALYZE image'));
  const { rows } = await client.query<{ seconds: number }>('SELECT sum(seconds) AS seconds FROM bench_step');
  await client.end();
  await countWords(databaseUrl);
  return rows[0]?.seconds ?? 0;
}

async function takeTime(client: pg.Client, name: string, step: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  await step();
  const seconds = (performance.now() - began) / 1000;
  await client.query('INSERT INTO bench_step VALUES ($1, $2)', [name, seconds]);
}

async function countOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM image');
  return rows[0]?.count ?? 0;
}

/** Removes the indexes: building them in a single pass at the end is cheaper than updating them for every record. */
async function removeIndexes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `INSERT INTO bench_index SELECT indexname, indexdef FROM pg_indexes
     WHERE tablename = 'image' AND indexdef NOT LIKE '% UNIQUE %' RETURNING name`,
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
}

async function createIndexes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>('SELECT * FROM bench_index');
  for (const { name, definition } of rows) {
    await takeTime(client, name, () => client.query(definition));
    await client.query('DELETE FROM bench_index WHERE name = $1', [name]);
  }
}

type Writing = Readonly<{ databaseUrl: string; tenantId: number; from: number; count: number }>;

/**
 * @throws if a run stopped within the first records, because it is then unknown which of its two connections was
 * behind.
 */
async function writeRecords({ databaseUrl, tenantId, from, count }: Writing): Promise<void> {
  if (from > 0) throw new Error(`The catalog ends at ${from} records; remove its folder and begin again`);
  const end = Math.min(count, throughTriggers);
  let next = 0;
  const load = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query('SET synchronous_commit = off');
    while (next < end) {
      const begin = next;
      next = Math.min(end, begin + batch);
      await client.query({
        name: 'load',
        text: insert,
        values: [tenantId, JSON.stringify(createRecords(begin, next))],
      });
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: connections }, load));
}

/** Creates the records with the numbers `from` to `to` as copies; each is older than those before it. */
async function copyRecords(client: pg.Client, from: number, to: number): Promise<void> {
  const offset = Math.floor(from / throughTriggers) * throughTriggers;
  const changed = {
    image_id: `'image-' || (substr(image_id, 7)::int + ${offset})`,
    // The many equal checksums of plain copies would form a long chain in a hash index.
    checksum: `sha256(checksum || '${offset}')`,
    created_at: `created_at - ${offset} * interval '61 s'`,
  } as const;
  const { rows } = await client.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'image' AND column_name <> 'row_id'`,
  );
  const all = rows.map(({ name }) => name);
  const values = all.map((name) => (name in changed ? changed[name as keyof typeof changed] : name));
  await client.query('SET session_replication_role = replica');
  await client.query(
    `INSERT INTO image (${all.join(', ')}) SELECT ${values.join(', ')} FROM image
     WHERE row_id > $1 AND row_id <= $2 ORDER BY row_id`,
    [from - offset, to - offset],
  );
  await client.query('RESET session_replication_role');
}

/** Updates what triggers maintain about all records. */
async function setTotals(client: pg.Client, tenantId: number, count: number): Promise<void> {
  await takeTime(client, 'facets', () => client.query('SELECT image_facets_recount()'));
  await client.query(`UPDATE record_total SET count = $2 WHERE tenant_id = $1 AND resource = 'image'`, [
    tenantId,
    count,
  ]);
  for (const table of ['word_total', 'word_choice']) await client.query(`DELETE FROM ${table}`);
}

/** Counts words as workers would, separately from what is measured. */
async function countWords(url: string): Promise<void> {
  const logger = createLogger('warn');
  const database = openDatabase({ url, logger });
  await countCommonWords({ database, logger }, new AbortController().signal);
  await database.close();
}
