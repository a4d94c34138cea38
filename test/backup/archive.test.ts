import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { knownMigrations, migrate, prepareDatabase } from '../../src/backing/index.ts';
import { readArchive, writeArchive } from '../../src/backup/index.ts';
import { SetupError } from '../../src/lib/errors.ts';
import { cloneDatabase, emptyDatabase, onDatabase } from '../support/database.ts';
import { archiveOf, entriesOf, textEntry } from './entries.ts';
import { createClient, openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { full } from '../support/effort.ts';

const admin = inject('postgresUrl');
let world: World;
let client: Client;
let folder: string;
let archive: Buffer;
let counted: Record<string, number>;

const urlOf = ({ backing }: World) => backing.database.pool.options.connectionString as string;
const piecesOf = (bytes: Buffer) => Readable.from(cut(bytes)) as AsyncIterable<Buffer>;

/** In pieces whose borders lie anywhere. */
function* cut(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 60_001) yield bytes.subarray(at, at + 60_001);
}

async function collect(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function restore(bytes: Buffer, { replaces = false, folders = {} } = {}) {
  const target = await emptyDatabase(admin);
  const restored = readArchive(piecesOf(bytes), { url: target.url, folders, replaces });
  return { target, restored };
}

/** Every row of every table, as text, in an order of its own. */
async function rowsOf(url: string): Promise<Record<string, string[]>> {
  return onDatabase(url, async (database) => {
    const { rows: tables } = await database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
    );
    const all: Record<string, string[]> = {};
    for (const { name } of tables) {
      const { rows } = await database.query<{ row: string }>(
        `SELECT to_jsonb(t)::text AS row FROM "${name}" t ORDER BY 1`,
      );
      all[name] = rows.map(({ row }) => row);
    }
    return all;
  });
}

/** Tables that a service without requests writes to, or that one writes to by starting. */
const RESTLESS = [
  'service_process',
  'fingerprint_change',
  'frame_change',
  'tenant_lease',
  'rate_window',
  '_prisma_migrations',
];

/** Every row of the tables that rest. */
async function restingRowsOf(url: string): Promise<Record<string, string[]>> {
  return Object.fromEntries(Object.entries(await rowsOf(url)).filter(([name]) => !RESTLESS.includes(name)));
}

/**
 * An archive and the rows that the database had before and after it was written. The use of keys and the end of
 * operations are written seconds after the request, so it looks until nothing has changed meanwhile.
 */
async function archiveOfRest(url: string): Promise<{ archive: Buffer; rows: Record<string, string[]> }> {
  return vi.waitFor(
    async () => {
      const before = await restingRowsOf(url);
      const bytes = await collect(writeArchive({ url, folders: {} }));
      const rows = await restingRowsOf(url);
      expect(rows).toEqual(before);
      return { archive: bytes, rows };
    },
    { timeout: 40_000, interval: 1000 },
  );
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-archive-'));
  world = await openWorld();
  client = await world.client();
  const picture = await world.picture('one.png');
  const hostile = 'tab\t line\n back\\slash \\N \\. quote" ñ 🦊 \u0001';
  await client.write(
    'POST',
    '/imgs',
    Array.from({ length: 250 }, (_, i) => ({
      id: `r${i}`,
      src_path: picture,
      title: `${hostile} ${i}`,
      keywords: ['a,b', '"c"'],
    })),
  );
  await client.write('POST', '/imgs', [{ id: 'none', src_path: 'missing.png' }]);
  // The service goes on writing while it is read.
  let isDone = false;
  const writing = (async () => {
    for (let i = 0; !isDone; i += 1) await client.write('PATCH', `/imgs/r${i % 250}`, { title: `later ${i}` });
  })();
  mkdirSync(join(folder, 'data', 'postgres'), { recursive: true });
  writeFileSync(join(folder, 'data', 'admin-key'), 'secret\n');
  writeFileSync(join(folder, 'data', 'postgres.json'), '{}');
  writeFileSync(join(folder, 'data', 'backup-key'), 'the key');
  writeFileSync(join(folder, 'data', 'notes.txt'), 'of somebody else');
  writeFileSync(join(folder, 'data', 'postgres', 'PG_VERSION'), '18');
  archive = await collect(writeArchive({ url: urlOf(world), folders: { data: join(folder, 'data') } }));
  isDone = true;
  await writing;
  counted = Object.fromEntries(Object.entries(await rowsOf(urlOf(world))).map(([name, rows]) => [name, rows.length]));
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('an archive', () => {
  it('holds the database of one moment, though the service wrote meanwhile', async () => {
    const { target, restored } = await restore(archive);
    const { rows } = await restored;
    expect(rows).toMatchObject({ image: 250, tenant: 1, api_key: 1, operation_error: 1 });
    const both = await onDatabase(target.url, (database) =>
      database.query<{ operations: number; good: number; left: number }>(
        `SELECT (SELECT count(*) FROM operation)::int AS operations,
                (SELECT count(*) FROM operation WHERE state <> 'finished')::int AS left,
                (SELECT count(DISTINCT operation_id) FROM operation_event WHERE type = 'queued')::int AS good`,
      ),
    );
    expect(both.rows[0]?.operations).toBe(both.rows[0]?.good);
    expect(rows['operation']).toBeLessThanOrEqual(counted['operation'] ?? 0);
    await target.drop();
  });

  it('of a quiet database gives every row again, sequences where they were, and a service that works', async () => {
    const { archive: quiet, rows: before } = await archiveOfRest(urlOf(world));
    const { target, restored } = await restore(quiet);
    const { rows } = await restored;
    const after = await restingRowsOf(target.url);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    for (const name of Object.keys(before)) expect(after[name], name).toEqual(before[name]);
    expect(rows['image']).toBe(250);
    const sequences = (url: string) =>
      onDatabase(url, (database) =>
        database.query(`SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public'
                        AND sequencename <> 'fingerprint_change_id_seq' ORDER BY 1`),
      ).then((result) => result.rows);
    expect(await sequences(target.url)).toEqual(await sequences(urlOf(world)));
    expect(await prepareDatabase(target.url, { migrates: true })).toEqual([]);
    const second = await openWorld({ database: target, mediaRoots: [world.media] });
    const known = createClient(second.url, client.key);
    expect((await known.rest('GET', '/imgs?q=later&count=true')).body.count).toBeGreaterThan(0);
    expect(await known.write('POST', '/imgs', [{ id: 'new', src_path: 'one.png' }])).toMatchObject({ num_good: 1 });
    expect(await known.write('DELETE', '/imgs/r1')).toMatchObject({ num_good: 1 });
    await second.close();
  });

  it('takes the files of DATA_DIR along, readable by their owner alone, and no other: no settings, no keys of archives', async () => {
    const into = join(folder, 'restored');
    const { target, restored } = await restore(archive, { folders: { data: into } });
    expect((await restored).files).toBe(1);
    expect(readFileSync(join(into, 'admin-key'), 'utf8')).toBe('secret\n');
    expect(statSync(join(into, 'admin-key')).mode & 0o777).toBe(0o600);
    await target.drop();
  });

  it('of an older version is brought up to date once it is restored', full, async () => {
    const older = await emptyDatabase(admin);
    const last = knownMigrations().at(-1)?.name as string;
    await onDatabase(older.url, (database) => migrate(database, (name) => name !== last));
    await onDatabase(older.url, (database) => database.query(`INSERT INTO tenant (name) VALUES ('old')`));
    const { target, restored } = await restore(await collect(writeArchive({ url: older.url, folders: {} })));
    expect((await restored).rows['tenant']).toBe(1);
    expect(await prepareDatabase(target.url, { migrates: true })).toEqual([last]);
    const { rows } = await onDatabase(target.url, (database) => database.query('SELECT name FROM tenant'));
    expect(rows).toEqual([{ name: 'old' }]);
    await older.drop();
    await target.drop();
  });
});

describe('restoring', () => {
  it('refuses what is no archive, is cut off, or was changed, and leaves the database empty', full, async () => {
    const changed = Buffer.from(archive);
    const at = changed.indexOf('later');
    changed.write('LATER', at === -1 ? changed.indexOf('one.png') : at);
    for (const [bytes, words] of [
      [Buffer.alloc(2000, 'x'), 'not an archive'],
      [Buffer.alloc(0), 'not an archive'],
      [archive.subarray(0, archive.length - 3000), 'cut off'],
      [archive.subarray(0, 100_000), 'cut off'],
      [changed, 'is damaged'],
    ] as const) {
      const { target, restored } = await restore(bytes);
      await expect(restored).rejects.toThrow(SetupError);
      await expect(restored).rejects.toThrow(words);
      const rows = await rowsOf(target.url);
      expect(Object.entries(rows).filter(([name, found]) => name !== '_prisma_migrations' && found.length > 0)).toEqual(
        [],
      );
      await target.drop();
    }
  });

  it('refuses a database that is not empty or in use, and replaces its contents with --replace', async () => {
    const target = await cloneDatabase(admin);
    const into = (replaces: boolean) => readArchive(piecesOf(archive), { url: target.url, folders: {}, replaces });
    await onDatabase(target.url, (database) => database.query(`INSERT INTO tenant (name) VALUES ('other')`));
    await expect(into(false)).rejects.toThrow(/not empty: there are rows in tenant.*--replace/s);
    expect((await into(true)).rows['image']).toBe(250);
    const { rows } = await onDatabase(target.url, (database) => database.query('SELECT name FROM tenant'));
    expect(rows).toEqual([{ name: 'tenant-1' }]);
    await target.drop();
    const running = readArchive(piecesOf(archive), { url: urlOf(world), folders: {}, replaces: true });
    await expect(running).rejects.toThrow('The service is running on this database');
  });

  it('leaves the indexes of Meilisearch to the source database', full, async () => {
    const source = await cloneDatabase(admin);
    await onDatabase(source.url, (database) =>
      database.query(
        `INSERT INTO search_index (resource, uid, settings) VALUES ('image', 'vitrine_image_theirs', 's')`,
      ),
    );
    const bytes = await collect(writeArchive({ url: source.url, folders: {} }));
    const { target, restored } = await restore(bytes);
    await restored;
    const indexes = (url: string) => onDatabase(url, (database) => database.query('SELECT uid FROM search_index'));
    expect((await indexes(target.url)).rows).toEqual([]);
    expect((await indexes(source.url)).rows).toHaveLength(1);
    await target.drop();
    await source.drop();
  });

  it(
    'refuses an archive of a newer version, of an older format, and one that changed since it was checked',
    full,
    async () => {
      const entries = await entriesOf(archive);
      const manifest = JSON.parse(String(entries[0]?.content));
      const newer = {
        ...manifest,
        migrations: [...manifest.migrations, { name: '20991231235959_future', checksum: 'x' }],
      };
      for (const [bytes, words] of [
        [await archiveOf([textEntry('manifest.json', JSON.stringify(newer))]), '20991231235959_future'],
        [await archiveOf([textEntry('manifest.json', JSON.stringify({ ...manifest, format: 1 }))]), 'another format'],
      ] as const) {
        const { target, restored } = await restore(bytes);
        await expect(restored).rejects.toThrow(words);
        await target.drop();
      }
      const target = await emptyDatabase(admin);
      const options = { url: target.url, folders: {}, replaces: false, digest: 'f'.repeat(64) };
      await expect(readArchive(piecesOf(archive), options)).rejects.toThrow('changed during the restore');
      expect((await rowsOf(target.url))['image']).toEqual([]);
      await target.drop();
    },
  );

  it(
    'names the row that PostgreSQL refuses and the sequence that is missing, and leaves the database empty',
    full,
    async () => {
      const entries = await entriesOf(archive);
      const wrongRow = entries.map((entry) =>
        entry.name.startsWith('tables/tenant/') ? textEntry(entry.name, 'not a row\n') : entry,
      );
      const wrongSequence = entries.map((entry) => {
        if (entry.name !== 'end.json') return entry;
        const end = JSON.parse(String(entry.content));
        return textEntry('end.json', JSON.stringify({ ...end, sequences: [{ name: 'pg_class', last: '7' }] }));
      });
      for (const [changed, words] of [
        [wrongRow, 'PostgreSQL refuses a row of the archive'],
        [wrongSequence, 'unknown sequence "pg_class"'],
      ] as const) {
        const { target, restored } = await restore(await archiveOf(changed));
        await expect(restored).rejects.toThrow(SetupError);
        await expect(restored).rejects.toThrow(words);
        expect((await rowsOf(target.url))['image']).toEqual([]);
        await target.drop();
      }
    },
  );
});
