import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { isBelow } from '../is-below.ts';
import { packageVersion } from '../package-root.ts';
import { CopyOut } from './copy.ts';
import { format } from './manifest.ts';
import type { End, Manifest } from './manifest.ts';
import { readSequences, readTables } from './tables.ts';
import type { Table } from './tables.ts';
import { tarEnd, tarFill, tarHead } from './tar.ts';

/** Rows are gathered into files of about this size, because a file's size stands before its content. */
const pieceBytes = 8 * 2 ** 20;

/** What in DATA_DIR is no content of ours: PostgreSQL's own files, and what tells of a running process. */
const notOurs = new Set(['postgres', 'postgres.json', 'postgres.log', 'server.pid']);

export type ArchiveOptions = Readonly<{
  /** Past a pooler; one that may read all tables. */
  url: string;
  /** Folders whose files go along, by the name that they have in the archive. */
  folders: Readonly<Record<string, string>>;
  /** Folders that are left out where they lie in one of those: they are others' or have a name of their own there. */
  except?: readonly string[];
}>;

/**
 * The database as it is at one moment, and files, as a tar archive. The service may go on writing:
 * everything is read in one snapshot.
 */
export async function* writeArchive({ url, folders, except = [] }: ArchiveOptions): AsyncGenerator<Buffer> {
  const client = new pg.Client({ connectionString: url, application_name: 'vitrine backup' });
  client.on('error', () => {}); // The statement under way tells of it.
  await client.connect();
  try {
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    await client.query(
      `SET timezone = 'UTC'; SET datestyle = 'ISO'; SET bytea_output = 'hex'; SET extra_float_digits = 3`,
    );
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const tables = await readTables(client);
    yield* file('manifest.json', Buffer.from(JSON.stringify(await describe(client, tables), null, 2)));
    const held: Record<string, { rows: number; sha256: string }> = {};
    for (const table of tables) held[table.name] = yield* writeTable(client, table);
    const sequences = await readSequences(client);
    await client.query('COMMIT');
    let files = 0;
    for (const [name, folder] of Object.entries(folders)) files += yield* writeFolder(name, folder, except);
    const end: End = { sequences, tables: held, files };
    yield* file('end.json', Buffer.from(JSON.stringify(end, null, 2)));
    yield tarEnd;
  } finally {
    await client.end().catch(() => {});
  }
}

async function describe(client: pg.Client, tables: readonly Table[]): Promise<Manifest> {
  const { rows: migrations } = await client.query<{ name: string; checksum: string }>(
    `SELECT migration_name AS name, checksum FROM "_prisma_migrations" WHERE rolled_back_at IS NULL ORDER BY 1`,
  );
  const { rows } = await client.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
  return {
    format,
    madeAt: new Date().toISOString(),
    version: packageVersion,
    postgres: rows[0]?.version ?? '',
    migrations,
    tables: tables.map(({ name, columns }) => ({ name, columns: [...columns] })),
  };
}

/** The statement that reads or writes a table's rows as text. */
export function copyText({ name, columns }: Table, direction: 'TO STDOUT' | 'FROM STDIN'): string {
  return `COPY ${pg.escapeIdentifier(name)} (${columns.map(pg.escapeIdentifier).join(', ')}) ${direction}`;
}

async function* writeTable(client: pg.Client, table: Table) {
  const hash = createHash('sha256');
  let rows = 0;
  let pieces: Buffer[] = [];
  let [bytes, number] = [0, 0];
  const flush = function* () {
    const content = Buffer.concat(pieces);
    hash.update(content);
    [pieces, bytes] = [[], 0];
    yield* file(`tables/${table.name}/${String((number += 1)).padStart(6, '0')}.copy`, content);
  };
  const copy = client.query(new CopyOut(copyText(table, 'TO STDOUT')));
  for await (const row of copy) {
    pieces.push(row);
    bytes += row.length;
    rows += 1;
    if (bytes >= pieceBytes) yield* flush();
  }
  await copy.done;
  if (bytes > 0) yield* flush();
  return { rows, sha256: hash.digest('hex') };
}

function* file(name: string, content: Buffer): Generator<Buffer> {
  yield tarHead(name, content.length);
  if (content.length > 0) yield content;
  yield tarFill(content.length);
}

async function* writeFolder(name: string, folder: string, except: readonly string[]): AsyncGenerator<Buffer, number> {
  const others = except.filter((other) => isBelow(other, folder));
  let count = 0;
  for (const entry of await entriesOf(folder)) {
    const path = join(entry.parentPath, entry.name);
    const inside = path.slice(folder.length + 1).replaceAll('\\', '/');
    if (others.some((other) => isBelow(path, other))) continue;
    if (!entry.isFile() || notOurs.has(inside.split('/', 1)[0] ?? '')) continue;
    // Removed since the folder was listed: a snapshot of a moment later would not have it either.
    const handle = await open(path).catch(nullWhereAbsent);
    if (handle === null) continue;
    try {
      const { size } = await handle.stat();
      yield tarHead(`${name}/${inside}`, size);
      yield* exactly(handle, size);
      yield tarFill(size);
    } finally {
      await handle.close();
    }
    count += 1;
  }
  return count;
}

/** All that lies in a folder, however deep; nothing where it does not exist. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return (await readdir(folder, { recursive: true, withFileTypes: true }).catch(nullWhereAbsent)) ?? [];
}

/** For what may be absent; any other error is thrown, because the archive would lack what is there. */
function nullWhereAbsent(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

/** As many bytes as the head says, whatever becomes of the file meanwhile. */
async function* exactly(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  let left = size;
  if (size > 0) {
    for await (const piece of file.createReadStream({ end: size - 1, autoClose: false })) {
      left -= (piece as Buffer).length;
      yield piece as Buffer;
    }
  }
  if (left > 0) yield Buffer.alloc(left);
}
