import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { SetupError } from '../errors.ts';
import { isBelow } from '../is-below.ts';
import { CopyIn } from './copy.ts';
import { parseEnd, parseManifest } from './manifest.ts';
import type { End, Manifest } from './manifest.ts';
import { emptyTables, finish, prepareTarget } from './target.ts';
import type { Table } from './tables.ts';
import { readTar } from './tar.ts';
import type { Entry } from './tar.ts';
import { copyText } from './write-archive.ts';

export type RestoreOptions = Readonly<{
  /** The database to fill, past a pooler; its user owns the tables or makes them. */
  url: string;
  /** Where files go, by the name of their folder in the archive; those of other folders are left out. */
  folders: Readonly<Record<string, string>>;
  /** Whether what the database holds may be thrown away. */
  replaces: boolean;
}>;

/** What was restored: rows by table, and files. */
export type Restored = Readonly<{ madeAt: string; rows: Readonly<Record<string, number>>; files: number }>;

type Counted = { rows: number; hash: Hash };

/**
 * Fills a database and folders from an archive; of the database all or nothing. Migrations that are
 * newer than the archive are applied to what it held.
 *
 * @throws SetupError where the archive is damaged or of a newer version, or the database in use.
 */
export async function readArchive(source: AsyncIterable<Buffer>, options: RestoreOptions): Promise<Restored> {
  const entries = readTar(source);
  const first = await entries.next();
  if (first.done === true || first.value.name !== 'manifest.json') {
    throw new SetupError('This is no archive of "vitrine backup".');
  }
  const manifest = parseManifest(await textOf(first.value));
  const client = new pg.Client({ connectionString: options.url, application_name: 'vitrine restore' });
  client.on('error', () => {}); // The statement under way tells of it.
  await client.connect();
  try {
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    await client.query(`SET timezone = 'UTC'; SET datestyle = 'ISO'`);
    const tables = await prepareTarget(client, manifest, options.replaces);
    await client.query('BEGIN');
    const restored = await fill(client, entries, { manifest, tables, folders: options.folders });
    await client.query('COMMIT');
    await client.query('ANALYZE');
    return restored;
  } finally {
    await client.end().catch(() => {}); // What was not committed is undone.
  }
}

async function textOf({ content }: Entry): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

type Filling = Readonly<{
  manifest: Manifest;
  tables: readonly Table[];
  folders: RestoreOptions['folders'];
}>;

async function fill(client: pg.Client, entries: AsyncIterable<Entry>, filling: Filling): Promise<Restored> {
  const { manifest, tables, folders } = filling;
  const held = new Map(tables.map(({ name }) => [name, { rows: 0, hash: createHash('sha256') }]));
  await emptyTables(client, tables);
  let files = 0;
  for await (const entry of entries) {
    const [kind = '', name = ''] = entry.name.split('/', 2);
    if (entry.name === 'end.json') {
      const end = parseEnd(await textOf(entry));
      compare(held, end);
      await finish(client, tables, end);
      const rows = Object.fromEntries([...held].map(([table, counted]) => [table, counted.rows]));
      return { madeAt: manifest.madeAt, rows, files };
    }
    if (kind === 'tables') {
      const table = tables.find((each) => each.name === name);
      const counted = held.get(name);
      if (table === undefined || counted === undefined)
        throw new SetupError(`The archive has an unknown table ${name}.`);
      await copyInto(client, table, entry, counted);
    } else {
      files += await writeFile(entry, folders);
    }
  }
  throw new SetupError('The archive is cut off: its end is missing.');
}

async function copyInto(client: pg.Client, table: Table, { content }: Entry, counted: Counted): Promise<void> {
  const watched = async function* () {
    for await (const piece of content) {
      counted.hash.update(piece);
      yield piece;
    }
  };
  const copy = client.query(new CopyIn(copyText(table, 'FROM STDIN'), watched()));
  await copy.done;
  counted.rows += copy.rows;
}

/** @throws SetupError where something else was read than was written. */
function compare(held: ReadonlyMap<string, Counted>, { tables }: End): void {
  for (const [name, { rows, hash }] of held) {
    const wanted = tables[name] ?? { rows: 0, sha256: createHash('sha256').digest('hex') };
    if (wanted.rows !== rows || wanted.sha256 !== hash.digest('hex')) {
      throw new SetupError(`The archive is damaged: the rows of ${name} are not those that were written.`);
    }
  }
}

async function writeFile({ name, content }: Entry, folders: RestoreOptions['folders']): Promise<number> {
  const slash = name.indexOf('/');
  const kind = name.slice(0, slash);
  const folder = folders[kind];
  if (folder === undefined) return 0;
  const path = resolve(folder, name.slice(slash + 1));
  if (!isBelow(path, folder)) throw new SetupError(`The archive has a file outside: ${name}`);
  await mkdir(dirname(path), { recursive: true });
  await pipeline(content, createWriteStream(path, { mode: kind === 'data' ? 0o600 : 0o644 }));
  return 1;
}
