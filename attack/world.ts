import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { fillWith } from '../bench/world.ts';
import { openDatabase, prepareDatabase, startEmbeddedPostgres } from '../src/backing/index.ts';
import type { Database } from '../src/backing/index.ts';
import { createLogger } from '../src/observability/logger.ts';
import { packageRoot } from '../src/lib/package-root.ts';
import { createApiKey, createTenant } from '../src/tenants/index.ts';
import type { KeyName, PictureName } from './exchange.ts';
import { interlacedPng } from './pictures.ts';

/** Two tenants with data, and what the service needs to serve them. */
export type World = Readonly<{
  folder: string;
  environment: Readonly<Record<string, string>>;
  keys: Readonly<Record<KeyName, string>>;
  quietKey: string;
  environmentKey: string;
  pictures: Readonly<Record<PictureName, string>>;
  /** Removes everything; the service must have ended. */
  remove(): void;
}>;

const keyRights: Readonly<Record<KeyName, Parameters<typeof createApiKey>[1]>> = {
  viewer: { tenantId: 0, name: 'viewer', role: 'viewer' },
  tagger: { tenantId: 0, name: 'tagger', role: 'tagger' },
  editor: { tenantId: 0, name: 'editor', role: 'editor' },
  admin: { tenantId: 0, name: 'admin', role: 'admin' },
  videos: { tenantId: 0, name: 'videos', scopes: ['vids:read'] },
};

/** Saved formulas that refer ten times to the one before, of which the first was deleted. */
const formulaLevels = 20;
/** Bytes of each long caption. */
const captionBytes = 9_000;

export type WorldOptions = Readonly<{
  /** Records of each tenant. */
  records: number;
}>;

/** Prepares a data folder for `vitrine serve` with its embedded PostgreSQL. */
export async function makeWorld({ records }: WorldOptions): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-attack-'));
  chmodSync(folder, 0o755);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const dataDir = join(folder, 'data');
    const media = join(folder, 'media');
    mkdirSync(media);
    cpSync(join(packageRoot, 'examples', 'pictures'), media, { recursive: true });
    const pictures = { small: join(media, 'allium-oreophilum.jpg'), huge: writeHugePicture(folder) };
    const environmentKey = randomBytes(24).toString('base64url');
    const environment = {
      DATA_DIR: dataDir,
      MEDIA_ROOTS: media,
      LOG_LEVEL: 'error',
      AI_ANALYSIS: 'off',
      ADMIN_API_KEY: environmentKey,
    };
    const postgres = await startEmbeddedPostgres({ dataDir });
    try {
      const { keys, quietKey } = await fillDatabase(postgres.url, records);
      return { folder, environment, keys, quietKey, environmentKey, pictures, remove };
    } finally {
      await postgres.stop();
    }
  } catch (error) {
    remove();
    throw error;
  }
}

/** A picture of 83 megapixels, written to a folder: with 8 bytes a pixel the largest that is decoded as a whole. */
export function writeHugePicture(folder: string): string {
  const path = join(folder, 'huge.png');
  writeFileSync(path, interlacedPng(9_100, 9_100));
  return path;
}

async function fillDatabase(url: string, records: number): Promise<Pick<World, 'keys' | 'quietKey'>> {
  await prepareDatabase(url, { migrates: true });
  const database = openDatabase({ url, logger: createLogger('warn') });
  try {
    const { id: attacker } = await createTenant(database, 'attacker');
    const { id: quiet } = await createTenant(database, 'quiet');
    const keys = await makeKeys(database, attacker);
    const { secret: quietKey } = await createApiKey(database, { tenantId: quiet, name: 'quiet', role: 'tagger' });
    await fillWith(url, attacker, records);
    await fillWith(url, quiet, records);
    await plant(url, attacker);
    return { keys, quietKey };
  } finally {
    await database.close();
  }
}

/** A key of each kind for the attacker. */
export async function makeKeys(database: Database, tenantId: number): Promise<Record<KeyName, string>> {
  const made: Record<KeyName, string> = { viewer: '', tagger: '', editor: '', admin: '', videos: '' };
  for (const [name, rights] of Object.entries(keyRights) as [KeyName, (typeof keyRights)[KeyName]][]) {
    made[name] = (await createApiKey(database, { ...rights, tenantId })).secret;
  }
  return made;
}

/** What an attacker would have stored before: long captions, and formulas that stand on each other. */
async function plant(url: string, tenantId: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const caption = 'x'.repeat(captionBytes);
  // Without triggers: analyzing so much text takes minutes, and nobody searches in it.
  await client.query('SET session_replication_role = replica');
  await client.query(`UPDATE image SET caption = $2 || ' ' || image_id WHERE tenant_id = $1`, [tenantId, caption]);
  for (let level = 1; level <= formulaLevels; level += 1) {
    const formula = Array.from({ length: 10 }, () => `saved:level${level - 1}`).join(' ');
    await client.query('INSERT INTO saved_formula (tenant_id, name, formula) VALUES ($1, $2, $3)', [
      tenantId,
      `level${level}`,
      formula,
    ]);
  }
  await client.query('VACUUM ANALYZE image');
  await client.end();
}
