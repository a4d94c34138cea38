import { createWriteStream } from 'node:fs';
import { realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { setSession, valueFormats } from '../backing/index.ts';
import { SetupError } from '../lib/errors.ts';
import { isBelow } from '../lib/is-below.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { giveToOwner, makeOwnedFolder } from '../lib/secret-file.ts';
import { parseEnd, parseManifest } from './manifest.ts';
import type { End, Manifest } from './manifest.ts';
import { quoted } from './members.ts';
import type { Table } from './tables.ts';
import { emptyTables, finishRestore, prepareTarget } from './target.ts';
import { walkArchive } from './walk.ts';
import type { Member } from './walk.ts';
import { copyText } from './write-archive.ts';

export type RestoreOptions = Readonly<{
  /** The database to fill, bypassing a pooler; its user owns the tables or creates them. */
  url: string;
  /** Where to put files, by the name of their folder in the archive; files of other folders are skipped. */
  folders: Readonly<Record<string, string>>;
  /** Folders that accept only files of their own name, even if they are inside another folder. */
  except?: readonly string[];
  /** Whether the contents of the database may be replaced. */
  replaces: boolean;
  /** What `checkArchive` returned for this archive; absent if this very process is writing the archive. */
  digest?: string;
}>;

/** What was restored: rows by table, and the number of files. */
export type Restored = Readonly<{ madeAt: string; rows: Readonly<Record<string, number>>; files: number }>;

/**
 * Fills a database and folders from an archive; the database all or nothing. Migrations newer than the archive are
 * then applied to the restored rows.
 *
 * @throws SetupError if the archive is damaged, has changed since it was checked, or comes from a newer version, or
 * if the database is in use.
 */
export async function readArchive(source: AsyncIterable<Buffer>, options: RestoreOptions): Promise<Restored> {
  const client = new pg.Client({ connectionString: options.url, application_name: 'vitrine restore' });
  client.on('error', () => {}); // The running statement reports the error.
  await client.connect();
  try {
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    await setSession(client, valueFormats);
    return await new Restore(client, options).run(source);
  } catch (error) {
    throw error instanceof pg.DatabaseError && isOfRows(error) ? incompatibleTables(error) : error;
  } finally {
    await client.end().catch(() => {}); // Uncommitted changes are rolled back.
  }
}

/** Whether the rows caused an error: data exceptions, violated constraints, and input that COPY cannot read. */
function isOfRows({ code = '' }: pg.DatabaseError): boolean {
  return /^(?:22|23)/.test(code);
}

function incompatibleTables({ message }: pg.DatabaseError): SetupError {
  return new SetupError(`PostgreSQL refuses a row of the archive: ${quoted(message)}. The database was not changed.`);
}

/** A restore in progress. */
class Restore {
  readonly #client: pg.Client;
  readonly #options: RestoreOptions;
  readonly #rows = new Map<string, number>();
  #manifest: Manifest | null = null;
  #tables: readonly Table[] = [];
  #end: End | null = null;
  #files = 0;

  constructor(client: pg.Client, options: RestoreOptions) {
    this.#client = client;
    this.#options = options;
  }

  async run(source: AsyncIterable<Buffer>): Promise<Restored> {
    const { digest } = await walkArchive(source, (member) => this.#take(member));
    if (this.#manifest === null || this.#end === null) throw new SetupError('The archive is empty.');
    if (this.#options.digest !== undefined && this.#options.digest !== digest) {
      throw new SetupError('The archive changed during the restore. The database was not changed.');
    }
    this.#compareRows(this.#end);
    await finishRestore(this.#client, this.#tables, this.#end);
    await this.#client.query('COMMIT');
    await this.#client.query('ANALYZE');
    return { madeAt: this.#manifest.madeAt, rows: Object.fromEntries(this.#rows), files: this.#files };
  }

  async #take(member: Member): Promise<void> {
    if (member.kind === 'manifest') return this.#begin(parseManifest(await text(member.content)));
    if (member.kind === 'table') return this.#copy(member);
    if (member.kind === 'end') {
      this.#end = parseEnd(await text(member.content));
      return;
    }
    await this.#write(member);
  }

  async #begin(manifest: Manifest): Promise<void> {
    this.#manifest = manifest;
    this.#tables = await prepareTarget(this.#client, manifest, this.#options.replaces);
    for (const { name } of this.#tables) this.#rows.set(name, 0);
    await this.#client.query('BEGIN');
    await emptyTables(this.#client, this.#tables);
  }

  async #copy({ name, content }: Member): Promise<void> {
    const [, tableName = ''] = name.split('/');
    const table = this.#tables.find((each) => each.name === tableName);
    if (table === undefined) throw new SetupError(`The archive has an unknown table ${quoted(tableName)}.`);
    const copy = this.#client.query(from(copyText(table, 'FROM STDIN')));
    await pipeline(content, copy);
    this.#rows.set(tableName, (this.#rows.get(tableName) ?? 0) + copy.rowCount);
  }

  /** @throws SetupError if the rows read differ from those written. */
  #compareRows({ tables }: End): void {
    const wanted = new Map(tables.map(({ name, rows }) => [name, rows]));
    for (const [name, rows] of this.#rows) {
      if (wanted.get(name) === rows) continue;
      throw new SetupError(`The archive is damaged: the rows of ${name} are not complete.`);
    }
  }

  async #write({ name, content }: Member): Promise<void> {
    const slash = name.indexOf('/');
    const kind = name.slice(0, slash);
    const { folders, except = [] } = this.#options;
    if (!Object.hasOwn(folders, kind)) return drop(content);
    const folder = resolve(folders[kind] ?? '');
    const path = resolve(folder, name.slice(slash + 1));
    const isOthers = except.some((other) => isBelow(other, folder) && isBelow(path, other));
    if (isOthers || !isBelow(path, folder) || (sep === '\\' && /[\\:]/.test(name))) throw outside(name);
    await writeWhole(path, folder, { content, name, mode: kind === 'data' ? 0o600 : 0o644 });
    this.#files += 1;
  }
}

function outside(name: string): SetupError {
  return new SetupError(`The archive has a file outside its folder: ${quoted(name)}. The database was not changed.`);
}

async function drop(content: AsyncIterable<Buffer>): Promise<void> {
  for await (const piece of content) void piece;
}

type Content = Readonly<{ content: AsyncIterable<Buffer>; name: string; mode: number }>;

/**
 * Writes under a temporary name and then renames, so that no link is followed and no partial file has the final name.
 */
async function writeWhole(path: string, folder: string, { content, name, mode }: Content): Promise<void> {
  makeFolder(folder);
  const top = await realpath(folder);
  const existing = await realParent(dirname(path));
  if (existing !== top && !isBelow(existing, top)) throw outside(name);
  makeOwnedFolder(dirname(path));
  const draft = join(dirname(path), '.vitrine-restore.part');
  try {
    await rm(draft, { force: true });
    await pipeline(content, createWriteStream(draft, { mode, flags: 'wx' }));
    giveToOwner(draft);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** The real path of a folder or, if it does not exist yet, of its nearest existing ancestor. */
async function realParent(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return realParent(dirname(folder));
  }
}
