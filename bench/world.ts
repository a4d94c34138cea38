import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/backing/index.ts';
import { openDatabase, prepareDatabase } from '../src/backing/index.ts';
import { createLogger } from '../src/observability/logger.ts';
import { createApiKey, createTenant } from '../src/tenants/index.ts';

/** The bench's own PostgreSQL, with records like those of a catalog. */
export type World = Readonly<{
  databaseUrl: string;
  key: string;
  tenantId: number;
  records: number;
  folder: string;
  /** Environment variables with which `vitrine serve` runs on it. */
  environment: Record<string, string>;
  close(): Promise<void>;
}>;

const fill = `
  INSERT INTO image (tenant_id, image_id, src_path, title, headline, caption, status, date, date_start, date_end, city,
                     country, author, provider, keywords, categories, width, height, lang, format, byte_size, checksum,
                     created_at)
  SELECT $1, 'image-' || n, 'archive/' || n || '.jpg', 'Title of picture number ' || n, 'Headline ' || n,
         'A caption of ordinary length that says in a sentence or two what can be seen in picture ' || n, 'published',
         day::date::text, day::date, day::date, 'City ' || n % 400, 'Country ' || n % 60, 'Author ' || n % 2000,
         'Provider ' || n % 20, ARRAY['word' || n % 50, 'word' || n % 700, 'word' || n % 9000], ARRAY['news'],
         1000 + n % 3000, 800 + n % 2000, 'en', 'jpeg', 100000 + n, sha256(n::text::bytea), now() - n * interval '1 s'
  FROM generate_series(1, $2::int) AS n, LATERAL (SELECT timestamp '2000-01-01' + n % 9000 * interval '1 day' AS day) AS d`;

/**
 * @param settings of its PostgreSQL; a function that receives the folder that PostgreSQL can read.
 * @param kept a folder that stays, with the content from earlier runs; without it, everything is removed at the end.
 */
export async function openWorld(
  records: number,
  settings: (folder: string) => readonly string[] = () => [],
  kept: string | null = null,
): Promise<World> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'vitrine-bench-'));
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'database'), settings: settings(folder) });
  const close = async () => {
    await postgres.stop();
    if (kept === null) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { key, tenantId } = await prepare(postgres.url);
    if (records > 0) await fillWith(postgres.url, tenantId, records);
    const environment = {
      DATABASE_URL: postgres.url,
      DATA_DIR: join(folder, 'service'),
      MEDIA_ROOTS: join(folder, 'media'),
      PORT: '0',
      LOG_LEVEL: 'warn',
      // Storing and reading are measured; the analysis of pictures would run at the same time.
      AI_ANALYSIS: 'off',
    };
    return { databaseUrl: postgres.url, key, tenantId, records, folder, environment, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function prepare(url: string): Promise<Pick<World, 'key' | 'tenantId'>> {
  await prepareDatabase(url, { migrates: true });
  const database = openDatabase({ url, logger: createLogger('warn') });
  const { rows } = await database.pool.query<{ id: number }>(`SELECT id FROM tenant WHERE name = 'bench'`);
  const tenantId = rows[0]?.id ?? (await createTenant(database, 'bench')).id;
  const { secret: key } = await createApiKey(database, { tenantId, name: 'bench', role: 'admin' });
  await database.close();
  return { key, tenantId };
}

/** Uses a separate connection, whose statements may take as long as they need. */
export async function fillWith(url: string, tenantId: number, records: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(fill, [tenantId, records]);
  await client.query('VACUUM ANALYZE image');
  await client.end();
}
