import { createHash, randomUUID } from 'node:crypto';
import { inTransaction, isDuplicate } from '../backing/index.ts';
import type { Database } from '../backing/index.ts';
import { AppError } from '../lib/errors.ts';
import { counter } from '../observability/metrics/index.ts';
import { partName, partsOf, removeParts } from '../storage/index.ts';
import type { FileStore } from '../storage/index.ts';
import { forTenant } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { checkFileName, checkMediaType, uploadPath } from './address.ts';
import { RunningHashes } from './hashes.ts';
import type { RunningHash } from './hashes.ts';
import { partBytes, uploadLimits } from './limits.ts';
import { openKept } from './open-kept.ts';
import type { KeptFile } from './open-kept.ts';
import { beyondLength, conflict, empty, noSuchUpload, tenantFull, tooManyParts } from './refusals.ts';
import { removeExpiredUploads } from './remove-expired.ts';
import * as statements from './statements.ts';
import type { Announced, KeptUpload, Upload } from './upload.ts';

/** How an upload ended: its file is new to the tenant, or the tenant already had it. */
type Ended = Readonly<{ outcome: 'kept' | 'known'; upload: Upload }>;

/** Bytes that have arrived but are not stored: at most a part and a piece. */
type HeldPart = { pieces: Buffer[]; size: number };

/** Files that clients upload as sources of records. Only the tenant that uploaded a file can find it. */
export type Uploads = Readonly<{
  /** Starts an upload. @throws AppError `too_large`, `quota_exceeded`, or `invalid_argument` for its name. */
  create(db: TenantDb, announced: Announced): Promise<Upload>;
  find(db: TenantDb, id: string): Promise<Upload | null>;
  /**
   * Stores what follows the first `offset` bytes, part by part. If the stream breaks off, everything up to there is
   * stored.
   *
   * @returns the upload with what has arrived; it may be complete. @throws AppError `too_large`, `quota_exceeded`,
   * `upload_conflict`; errors of the stream.
   */
  append(db: TenantDb, upload: Upload, offset: number, pieces: AsyncIterable<Buffer>): Promise<Upload>;
  /**
   * Completes an upload that has arrived in full. @throws AppError `upload_conflict` if it has not,
   * `invalid_argument` if it is empty.
   */
  finish(db: TenantDb, upload: Upload): Promise<KeptUpload>;
  /** Cancels an incomplete upload and discards what has arrived. */
  terminate(db: TenantDb, id: string): Promise<void>;
  /** Opens a complete file by its `src_path`; null if the tenant has no such file. */
  open(tenantId: number, srcPath: string): Promise<KeptFile | null>;
  /** Removes the expired uploads of all tenants. @returns the number of files. */
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
  /** Uploads whose bytes come in the request that started them, which is therefore their first writer. */
  readonly #begun = new WeakSet<Upload>();

  constructor(database: Database, store: FileStore) {
    this.#database = database;
    this.#store = store;
  }

  async create(db: TenantDb, { name, mediaType, length, isSent }: Announced): Promise<Upload> {
    const fileName = checkFileName(name);
    if (length === 0) throw empty();
    if (length !== null && length > uploadLimits.bytes) throw beyondLength(null);
    const values = [randomUUID(), fileName, checkMediaType(mediaType), length, isSent];
    const [far] = (await db.query<Upload>(statements.createFar, values)).rows;
    const upload = far ?? (await this.#createNearLimits(db, values));
    if (isSent) this.#begun.add(upload);
    return upload;
  }

  /** One at a time, so that concurrent uploads cannot exceed a limit together. */
  async #createNearLimits(db: TenantDb, values: readonly unknown[]): Promise<Upload> {
    const created = await inTransaction(this.#database.pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1, $2)', [lockClass, db.tenantId]);
      return db.query<Upload>(statements.create, values, client);
    });
    const [upload] = created.rows;
    if (upload === undefined) throw tenantFull();
    return upload;
  }

  async find(db: TenantDb, id: string): Promise<Upload | null> {
    const { rows } = await db.query<Upload>(statements.find, [id]);
    return rows[0] ?? null;
  }

  async append(db: TenantDb, begun: Upload, offset: number, pieces: AsyncIterable<Buffer>): Promise<Upload> {
    let upload = begun;
    if (upload.state !== 'receiving' || upload.received !== offset) throw conflict(upload.received);
    let room = uploadLimits.parts - upload.parts.length;
    let isWriter = this.#begun.delete(begun);
    const hash = this.#hashes.take(upload);
    let part: HeldPart = { pieces: [], size: 0 };
    const flush = async () => {
      if (part.size === 0) return;
      if ((room -= 1) < 0) throw tooManyParts();
      const full = part;
      part = { pieces: [], size: 0 };
      if (!isWriter) upload = await this.#beginWriting(db, upload);
      isWriter = true;
      upload = await this.#storePart(db, upload, full, hash);
    };
    try {
      for await (const piece of pieces) {
        if (upload.received + part.size + piece.length > (upload.length ?? uploadLimits.bytes)) {
          throw beyondLength(upload.length);
        }
        part.pieces.push(piece);
        part.size += piece.length;
        hash?.add(piece);
        if (part.size >= partBytes) await flush();
      }
      await flush();
    } catch (error) {
      // A client that comes back can resume from here.
      if (!(error instanceof AppError)) await flush();
      throw error;
    } finally {
      this.#hashes.giveBack(upload, hash);
    }
    counter('upload_bytes_total', {}).add(upload.received - offset);
    return upload;
  }

  async finish(db: TenantDb, upload: Upload): Promise<KeptUpload> {
    if (upload.checksum !== null) return toFile(upload, upload.checksum);
    if (upload.length !== null && upload.received !== upload.length) throw conflict(upload.received);
    if (upload.received === 0) throw empty();
    const checksum = await this.#checksumOf(db, upload);
    const ended = await this.#keep(db, upload.id, checksum);
    // Another request completed it, or the tenant's file was removed at this very moment.
    if (ended === null) return this.finish(db, await this.#get(db, upload.id));
    countEnd(ended.outcome);
    return toFile(ended.upload, checksum);
  }

  async terminate(db: TenantDb, id: string): Promise<void> {
    const upload = await this.#get(db, id);
    const { rowCount } = await db.query(statements.terminate, [id]);
    if (rowCount === 0)
      throw new AppError(
        'upload_conflict',
        'The upload is complete and cannot be canceled; an unused file is removed after a day',
      );
    await removeParts(this.#store, { ...upload, tenantId: db.tenantId });
  }

  open(tenantId: number, srcPath: string): Promise<KeptFile | null> {
    return openKept(forTenant(this.#database, tenantId), this.#store, srcPath);
  }

  removeExpired(now = new Date(), signal?: AbortSignal): Promise<number> {
    return removeExpiredUploads(this.#database, this.#store, now, signal);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #get(db: TenantDb, id: string): Promise<Upload> {
    const upload = await this.find(db, id);
    if (upload !== null) return upload;
    throw noSuchUpload();
  }

  /** Keeps a complete file, unless the tenant already has it; null if anything else has changed in the meantime. */
  async #keep(db: TenantDb, id: string, checksum: string): Promise<Ended | null> {
    try {
      const [upload] = (await db.query<Upload>(statements.keep, [id, checksum])).rows;
      return upload === undefined ? null : { outcome: 'kept', upload };
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const upload = await this.#get(db, id);
    if ((await db.query(statements.renew, [checksum])).rowCount === 0) return null;
    if ((await db.query(statements.drop, [id, checksum])).rowCount === 0) return null;
    await removeParts(this.#store, { ...upload, tenantId: db.tenantId });
    return { outcome: 'known', upload: await this.#get(db, id) };
  }

  /** Makes this request the only one that may add parts. Called before its first part. */
  async #beginWriting(db: TenantDb, { id, received }: Upload): Promise<Upload> {
    const [upload] = (await db.query<Upload>(statements.beginWriting, [id, received])).rows;
    if (upload !== undefined) return upload;
    const now = await this.#get(db, id);
    throw now.state === 'receiving' && now.received === received ? tooManyParts() : conflict(now.received);
  }

  /** Stores one part. The bytes are written before the row, so every listed part exists. */
  async #storePart(
    db: TenantDb,
    upload: Upload,
    { pieces, size }: HeldPart,
    hash: RunningHash | null,
  ): Promise<Upload> {
    const { id, received, length, takeovers } = upload;
    const name = partName(db.tenantId, id, received, takeovers.length);
    await this.#store.write(name, pieces);
    const listed = await this.#listPart(db, upload, size, length === null ? null : (hash?.of(length) ?? null));
    if (listed !== null) return listed;
    // The upload may be gone, and with it the list by which this part would be removed.
    await this.#store.remove(name).catch(() => {});
    const now = await this.#get(db, id);
    const isOurs = now.state === 'receiving' && now.received === received && now.takeovers.length === takeovers.length;
    throw isOurs ? tenantFull() : conflict(now.received);
  }

  /**
   * Adds a stored part to the list. The last part comes with the checksum of the file and completes the upload,
   * unless the tenant already has the file. Null if the part could not be listed.
   */
  async #listPart(
    db: TenantDb,
    { id, received, takeovers }: Upload,
    size: number,
    checksum: string | null,
  ): Promise<Upload | null> {
    const list = async (sum: string | null) =>
      (await db.query<Upload>(statements.append, [id, size, received, sum, takeovers.length])).rows[0];
    const upload = await list(checksum).catch((error: unknown) =>
      isDuplicate(error) ? list(null) : Promise.reject(error),
    );
    if (upload === undefined) return null;
    if (upload.checksum !== null) countEnd('kept');
    return upload;
  }

  async #checksumOf(db: TenantDb, upload: Upload): Promise<string> {
    const known = this.#hashes.take(upload)?.of(upload.received) ?? null;
    if (known !== null) return known;
    const hash = createHash('sha256');
    for await (const part of partsOf(this.#store, db.tenantId, upload)) hash.update(part);
    return hash.digest('hex');
  }
}

/** An arbitrary number that no other advisory lock of ours uses. */
const lockClass = 7_261_151;

function countEnd(outcome: Ended['outcome']): void {
  counter('uploads_total', { outcome }).add();
}

function toFile({ name, received, mediaType, expiresAt }: Upload, checksum: string): KeptUpload {
  return { srcPath: uploadPath(checksum, name), name, byteSize: received, checksum, mediaType, expiresAt };
}
