import { createHash, randomUUID } from 'node:crypto';
import { inTransaction } from '../backing/index.ts';
import type { Database } from '../backing/index.ts';
import { AppError } from '../lib/errors.ts';
import { counter } from '../observability/metrics/index.ts';
import { partName, partsOf } from '../storage/index.ts';
import type { FileStore, StoredParts } from '../storage/index.ts';
import { forTenant } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { checkFileName, checkMediaType, uploadPath } from './address.ts';
import { RunningHashes } from './hashes.ts';
import { partBytes, unusedHours, uploadLimits } from './limits.ts';
import { openKept } from './open-kept.ts';
import type { KeptFile } from './open-kept.ts';
import { removeExpiredUploads } from './remove-expired.ts';
import * as statements from './statements.ts';

/** What a client says of a file before it sends it. */
export type Announced = Readonly<{
  name?: string | null | undefined;
  mediaType?: string | null | undefined;
  /** Null where only the end of the file shows it. */
  length: number | null;
}>;

/** An upload: a file, or as much of it as has arrived. */
export type Upload = StoredParts &
  Readonly<{
    state: 'receiving' | 'kept' | 'removing';
    name: string | null;
    mediaType: string;
    length: number | null;
    received: number;
    createdAt: Date;
    expiresAt: Date;
    /** Once it is complete. */
    checksum: string | null;
  }>;

/** A complete file, as its client sees it. */
export type KeptUpload = Readonly<{
  srcPath: string;
  name: string | null;
  byteSize: number;
  checksum: string;
  mediaType: string;
  /** Until when a write has to name it. */
  expiresAt: Date;
}>;

/** How an upload ended: its file is new to the tenant, or the tenant had it. */
type Ended = Readonly<{ outcome: 'kept' | 'known'; upload: Upload }>;

/** Files that clients send to be the sources of records. Only the tenant that sent one finds it. */
export type Uploads = Readonly<{
  /** Begins one. @throws AppError `too_large`, `quota_exceeded`, or `invalid_argument` for its name. */
  create(db: TenantDb, announced: Announced): Promise<Upload>;
  find(db: TenantDb, id: string): Promise<Upload | null>;
  /**
   * Stores what follows so many bytes, part by part; of a stream that breaks off what it gave until then.
   *
   * @returns how many bytes are there. @throws AppError `too_large`, `quota_exceeded`, `upload_conflict`; what the stream does.
   */
  append(db: TenantDb, id: string, offset: number, pieces: AsyncIterable<Buffer>): Promise<number>;
  /** Ends one of which everything is there. @throws AppError `upload_conflict` for another one. */
  finish(db: TenantDb, id: string): Promise<KeptUpload>;
  /** Ends one that is not complete, and forgets what has arrived. */
  terminate(db: TenantDb, id: string): Promise<void>;
  /** A complete file, by the `src_path` that names it; null where the tenant has none. */
  open(tenantId: number, srcPath: string): Promise<KeptFile | null>;
  /** Removes what has expired of all tenants. @returns the number of files. */
  removeExpired(now?: Date, signal?: AbortSignal): Promise<number>;
  close(): Promise<void>;
}>;

/** Opens the uploads of a service. */
export function openUploads(database: Database, store: FileStore): Uploads {
  return new StoredUploads(database, store);
}

class StoredUploads implements Uploads {
  readonly #database: Database;
  readonly #store: FileStore;
  readonly #hashes = new RunningHashes();

  constructor(database: Database, store: FileStore) {
    this.#database = database;
    this.#store = store;
  }

  async create(db: TenantDb, { name, mediaType, length }: Announced): Promise<Upload> {
    const fileName = checkFileName(name);
    if (length === 0) throw empty();
    if (length !== null && length > uploadLimits.bytes) throw tooLarge(null);
    const id = randomUUID();
    const created = await inTransaction(this.#database.pool, async (client) => {
      // One at a time, so that several do not pass a limit together.
      await client.query('SELECT pg_advisory_xact_lock($1, $2)', [lockClass, db.tenantId]);
      return db.query<Upload>(statements.create, [id, fileName, checkMediaType(mediaType), length], client);
    });
    const [upload] = created.rows;
    if (upload === undefined) throw tenantFull();
    return upload;
  }

  async find(db: TenantDb, id: string): Promise<Upload | null> {
    const { rows } = await db.query<Upload>(statements.find, [id]);
    return rows[0] ?? null;
  }

  async append(db: TenantDb, id: string, offset: number, pieces: AsyncIterable<Buffer>): Promise<number> {
    const upload = await this.#get(db, id);
    if (upload.state !== 'receiving' || upload.received !== offset) throw conflict(upload.received);
    let [stored, room] = [offset, uploadLimits.parts - upload.parts.length];
    let [held, heldBytes]: [Buffer[], number] = [[], 0];
    const flush = async () => {
      if (heldBytes === 0) return;
      if ((room -= 1) < 0) throw tooManyParts();
      const bytes = Buffer.concat(held);
      [held, heldBytes] = [[], 0];
      await this.#storePart(db, upload, stored, bytes);
      stored += bytes.length;
    };
    try {
      for await (const piece of pieces) {
        if (stored + heldBytes + piece.length > (upload.length ?? uploadLimits.bytes)) throw tooLarge(upload.length);
        held.push(piece);
        heldBytes += piece.length;
        if (heldBytes >= partBytes) await flush();
      }
    } catch (error) {
      // Who comes back goes on from here.
      if (!(error instanceof AppError)) await flush();
      throw error;
    }
    await flush();
    counter('upload_bytes_total', {}).add(stored - offset);
    return stored;
  }

  async finish(db: TenantDb, id: string): Promise<KeptUpload> {
    const upload = await this.#get(db, id);
    if (upload.checksum !== null) return toFile(upload, upload.checksum);
    if (upload.length !== null && upload.received !== upload.length) throw conflict(upload.received);
    if (upload.received === 0) throw empty();
    const checksum = await this.#checksumOf(db, upload);
    const ended = await this.#keep(db, id, checksum);
    // Another request ended it, or what the tenant had was removed at this moment.
    if (ended === null) return this.finish(db, id);
    counter('uploads_total', { outcome: ended.outcome }).add();
    return toFile(ended.upload, checksum);
  }

  async terminate(db: TenantDb, id: string): Promise<void> {
    const upload = await this.#get(db, id);
    const { rowCount } = await db.query(statements.terminate, [id]);
    if (rowCount === 0) throw new AppError('upload_conflict', 'The upload is complete: it goes by itself');
    await this.#removeParts(db.tenantId, upload);
  }

  open(tenantId: number, srcPath: string): Promise<KeptFile | null> {
    return openKept(forTenant(this.#database, tenantId), this.#store, srcPath);
  }

  removeExpired(now = new Date(), signal?: AbortSignal): Promise<number> {
    return removeExpiredUploads(this.#database, now, (tenantId, upload) => this.#removeParts(tenantId, upload), signal);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #get(db: TenantDb, id: string): Promise<Upload> {
    const upload = await this.find(db, id);
    if (upload !== null) return upload;
    throw new AppError('not_found', 'No such upload', { hint: 'It may have expired: begin it again' });
  }

  /** Keeps a complete file, unless the tenant has it; null where something else has changed meanwhile. */
  async #keep(db: TenantDb, id: string, checksum: string): Promise<Ended | null> {
    try {
      const [upload] = (await db.query<Upload>(statements.keep, [id, checksum])).rows;
      return upload === undefined ? null : { outcome: 'kept', upload };
    } catch (error) {
      if ((error as { code?: string }).code !== uniqueViolation) throw error;
    }
    const upload = await this.#get(db, id);
    if ((await db.query(statements.renew, [checksum])).rowCount === 0) return null;
    if ((await db.query(statements.drop, [id, checksum])).rowCount === 0) return null;
    await this.#removeParts(db.tenantId, upload);
    return { outcome: 'known', upload: await this.#get(db, id) };
  }

  /** Stores one part. The row comes after the bytes, so what it lists is there. */
  async #storePart(db: TenantDb, upload: Upload, offset: number, bytes: Buffer): Promise<void> {
    await this.#store.write(partName(db.tenantId, upload.id, offset), bytes);
    const { rowCount } = await db.query(statements.append, [upload.id, bytes.length, offset]);
    if (rowCount === 1) return this.#hashes.add(upload.id, offset, bytes);
    const now = await this.#get(db, upload.id);
    throw now.state === 'receiving' && now.received === offset ? tenantFull() : conflict(now.received);
  }

  async #checksumOf(db: TenantDb, upload: Upload): Promise<string> {
    const known = this.#hashes.take(upload.id, upload.received);
    if (known !== null) return known;
    const hash = createHash('sha256');
    for await (const part of partsOf(this.#store, db.tenantId, upload)) hash.update(part);
    return hash.digest('hex');
  }

  async #removeParts(tenantId: number, upload: StoredParts): Promise<void> {
    let offset = 0;
    for (const size of upload.parts) {
      await this.#store.remove(partName(tenantId, upload.id, offset));
      offset += size;
    }
    // Of a part that was stored and not listed before its process ended.
    await this.#store.remove(partName(tenantId, upload.id, offset));
  }
}

/** Any number that none of our other locks uses. */
const lockClass = 7_261_151;
const uniqueViolation = '23505';

function toFile({ name, received, mediaType, expiresAt }: Upload, checksum: string): KeptUpload {
  return { srcPath: uploadPath(checksum, name), name, byteSize: received, checksum, mediaType, expiresAt };
}

function tooLarge(announced: number | null): AppError {
  if (announced !== null) return new AppError('too_large', `The file is larger than the announced ${announced} bytes`);
  const limit = uploadLimits.bytes;
  const hint = `An uploaded file may have ${limit / 2 ** 30} GiB; put a larger one below MEDIA_ROOTS`;
  return new AppError('too_large', `The file is larger than ${limit / 2 ** 30} GiB`, { limit, hint });
}

function empty(): AppError {
  return new AppError('invalid_argument', 'The file is empty', { argument: 'file', hint: 'Choose another file' });
}

function tooManyParts(): AppError {
  const hint = `Send pieces of ${partBytes / 2 ** 20} MiB or more`;
  return new AppError('too_large', `The file came in more than ${uploadLimits.parts} pieces`, { hint });
}

function tenantFull(): AppError {
  const { unused, unusedBytes } = uploadLimits;
  return new AppError(
    'quota_exceeded',
    `The tenant has ${unused} uploaded files, or ${unusedBytes / 2 ** 30} GiB of them, that no record uses`,
    { hint: `Write records with them; what none uses is removed after ${unusedHours} hours` },
  );
}

function conflict(received: number): AppError {
  return new AppError('upload_conflict', `${received} bytes are there: the upload goes on from there`, {
    offset: received,
  });
}
