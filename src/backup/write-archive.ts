import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';
import pg from 'pg';
import { to } from 'pg-copy-streams';
import type { CopyToStreamQuery } from 'pg-copy-streams';
import { pack } from 'tar-stream';
import type { Pack } from 'tar-stream';
import { lockKeys, setSession, valueFormats } from '../backing/index.ts';
import { AppError } from '../lib/errors.ts';
import { isBelow } from '../lib/is-below.ts';
import { packageVersion } from '../lib/package-root.ts';
import { contentsLine, digestOf, signDigest } from './contents.ts';
import { format } from './manifest.ts';
import type { End, Manifest } from './manifest.ts';
import { memberKindOf } from './members.ts';
import { readSequences, readTables } from './tables.ts';
import type { Table } from './tables.ts';
import { addEntry } from './tar.ts';

/** Rows are collected into files of about this size, because in a tar the size of a file precedes its content. */
const pieceBytes = 8 * 2 ** 20;

type ArchiveOptions = Readonly<{
  /** The database, bypassing a pooler; its user may read all tables. */
  url: string;
  /** Folders whose files are included, by their name in the archive. */
  folders: Readonly<Record<string, string>>;
  /** Folders inside those that are skipped: they belong to others, or have a name of their own in the archive. */
  except?: readonly string[];
  /** The key that signs the archive; without it, its origin cannot be verified. */
  key?: string | null;
  /** Whether to refuse the request while another archive with this option is being written. */
  isAlone?: boolean;
  /** Called with the digest of the complete archive. */
  onDigest?: (digest: string) => void;
}>;

/**
 * Writes the database as of one moment, and files, as a tar archive. The service may keep writing: everything is read
 * in one snapshot.
 */
export async function* writeArchive(options: ArchiveOptions): AsyncGenerator<Buffer> {
  const client = new pg.Client({ connectionString: options.url, application_name: 'vitrine backup' });
  client.on('error', () => {}); // The running statement reports the error.
  await client.connect();
  const tar = pack();
  tar.on('error', () => {}); // The loop below reports the error.
  const filling = fill(client, new ArchiveWriter(tar), options).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  try {
    for await (const piece of tar) yield piece as Buffer;
  } finally {
    tar.destroy(new Error('the archive is no longer read'));
    await client.end().catch(() => {});
    await filling;
  }
}

/** A tar and the list of its files. */
class ArchiveWriter {
  readonly #tar: Pack;
  readonly #lines: string[] = [];

  constructor(tar: Pack) {
    this.#tar = tar;
  }

  async add(name: string, size: number, content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    const hash = createHash('sha256');
    const watched = async function* () {
      for await (const piece of content) {
        hash.update(piece);
        yield piece;
      }
    };
    await addEntry(this.#tar, name, size, watched());
    this.#lines.push(contentsLine(name, size, hash.digest('hex')));
  }

  async addJson(name: string, value: unknown): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(value, null, 2));
    await this.add(name, bytes.length, [bytes]);
  }

  /** Completes the archive with its list and signature; nothing can be added afterwards. Returns the digest. */
  async seal(key: string | null): Promise<string> {
    const contents = Buffer.from(this.#lines.join(''));
    const digest = digestOf(contents);
    await this.add('contents.txt', contents.length, [contents]);
    await this.addJson('signature.json', { hmac: key === null ? null : signDigest(digest, key) });
    return digest;
  }
}

async function fill(client: pg.Client, archive: ArchiveWriter, options: ArchiveOptions): Promise<void> {
  const { folders, except = [], key = null, onDigest } = options;
  await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
  if (options.isAlone) await lockAlone(client);
  await setSession(client, valueFormats);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const tables = await readTables(client);
  await archive.addJson('manifest.json', await describe(client, tables));
  const copies = new Map<string, CopyToStreamQuery>();
  for (const table of tables) copies.set(table.name, await addTable(client, archive, table));
  const sequences = await readSequences(client);
  // Row counts arrive after the last row; the answer to any later statement means that all of them are known.
  const rows = [...copies].map(([name, { rowCount }]) => ({ name, rows: rowCount }));
  await client.query('COMMIT');
  let files = 0;
  for (const [name, folder] of Object.entries(folders)) files += await addFolder(archive, { name, folder, except });
  const end: End = { sequences, tables: rows, files };
  await archive.addJson('end.json', end);
  const digest = await archive.seal(key);
  onDigest?.(digest);
}

/** Takes a lock that is held until the connection ends. @throws AppError `unavailable` while another connection holds it. */
async function lockAlone(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isOurs: boolean }>('SELECT pg_try_advisory_lock($1) AS "isOurs"', [
    lockKeys.backup,
  ]);
  if (rows[0]?.isOurs === true) return;
  throw new AppError('unavailable', 'Another backup is being downloaded', { hint: 'Try again when it has ended' });
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

/** The statement that reads or writes the rows of a table as text. */
export function copyText({ name, columns }: Table, direction: 'TO STDOUT' | 'FROM STDIN'): string {
  return `COPY ${pg.escapeIdentifier(name)} (${columns.map(pg.escapeIdentifier).join(', ')}) ${direction}`;
}

/** Adds the rows of a table; each file ends with a complete row. */
async function addTable(client: pg.Client, archive: ArchiveWriter, table: Table): Promise<CopyToStreamQuery> {
  let pieces: Buffer[] = [];
  let [bytes, number] = [0, 0];
  const flush = async (rest?: Buffer) => {
    number += 1;
    await archive.add(`tables/${table.name}/${String(number).padStart(6, '0')}.copy`, bytes, pieces);
    [pieces, bytes] = rest === undefined ? [[], 0] : [[rest], rest.length];
  };
  const copy = client.query(to(copyText(table, 'TO STDOUT')));
  for await (const chunk of copy as AsyncIterable<Buffer>) {
    // In this format, a line feed occurs only at the end of a row.
    const end = bytes + chunk.length < pieceBytes ? 0 : chunk.lastIndexOf('\n') + 1;
    pieces.push(end === 0 ? chunk : chunk.subarray(0, end));
    bytes += end === 0 ? chunk.length : end;
    if (end > 0) await flush(chunk.subarray(end));
  }
  if (bytes > 0) await flush();
  return copy;
}

type Folder = Readonly<{ name: string; folder: string; except: readonly string[] }>;

async function addFolder(archive: ArchiveWriter, { name, folder, except }: Folder): Promise<number> {
  const others = except.filter((other) => isBelow(other, folder));
  let count = 0;
  for (const entry of await entriesOf(folder)) {
    const path = join(entry.parentPath, entry.name);
    const inside = `${name}/${path.slice(folder.length + 1).replaceAll(sep, '/')}`;
    if (others.some((other) => isBelow(path, other))) continue;
    if (!entry.isFile() || memberKindOf(inside) === null) continue;
    // Removed since the folder was listed. A snapshot taken a moment later would not contain it either.
    const handle = await open(path).catch(nullIfMissing);
    if (handle === null) continue;
    try {
      const { size } = await handle.stat();
      await archive.add(inside, size, exactly(handle, size));
    } finally {
      await handle.close();
    }
    count += 1;
  }
  return count;
}

/** All entries of a folder, at any depth; none if it does not exist. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return (await readdir(folder, { recursive: true, withFileTypes: true }).catch(nullIfMissing)) ?? [];
}

/** Ignores missing files. Any other error is thrown, because the archive would lack a file that exists. */
function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

/** Yields exactly as many bytes as the header states, even if the file changes in the meantime. */
async function* exactly(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  let left = size;
  if (size > 0) {
    for await (const piece of file.createReadStream({ end: size - 1, autoClose: false })) {
      left -= (piece as Buffer).length;
      yield piece as Buffer;
    }
  }
  while (left > 0) {
    const piece = Buffer.alloc(Math.min(left, 65_536));
    left -= piece.length;
    yield piece;
  }
}
