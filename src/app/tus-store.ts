import type { Readable } from 'node:stream';
import { DataStore, Upload as TusUpload } from '@tus/server';
import type { TenantDb } from '../tenants/index.ts';
import { noSuchUpload, unusedHours } from '../uploads/index.ts';
import type { Upload, KeptUpload, Uploads } from '../uploads/index.ts';
import type { SentBody } from './sent-body.ts';

const unusedMs = unusedHours * 3_600_000;

/** Stores the uploads of one tenant, in the form that the tus server expects. */
export class TusStore extends DataStore {
  override extensions = ['creation', 'creation-with-upload', 'termination', 'expiration'];
  readonly #uploads: Uploads;
  readonly #db: TenantDb;
  readonly #sent: SentBody | null;
  /** The upload of this request, in its latest known state. */
  #upload: Upload | null = null;
  /** The file that was completed, or was already complete. */
  file: KeptUpload | null = null;

  /** `sent` holds the file bytes in the request, if any. */
  constructor(uploads: Uploads, db: TenantDb, sent: SentBody | null) {
    super();
    this.#uploads = uploads;
    this.#db = db;
    this.#sent = sent;
  }

  /** When the upload of this request expires if no more arrives; null for a complete file. */
  get expiresAt(): Date | null {
    return this.file === null ? (this.#upload?.expiresAt ?? null) : null;
  }

  override async create(upload: TusUpload): Promise<TusUpload> {
    // Metadata names as in the documentation of tus-js-client, and those of Uppy.
    const { filename, name = filename, filetype, type = filetype } = upload.metadata ?? {};
    const announced = { name, mediaType: type, length: upload.size ?? null, isSent: this.#sent !== null };
    this.#upload = await this.#uploads.create(this.#db, announced);
    return Object.assign(upload, toTus(this.#upload));
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    const upload = await this.#find(id);
    const pieces = this.#sent?.until(stream) ?? (stream as AsyncIterable<Buffer>);
    this.#upload = await this.#uploads.append(this.#db, upload, offset, pieces);
    return this.#upload.received;
  }

  override async getUpload(id: string): Promise<TusUpload> {
    const upload = await this.#find(id);
    // A process may have ended between the last byte and the completion.
    if (upload.received === upload.length) await this.finish(id);
    return toTus(upload);
  }

  /** Completes an upload whose bytes have all arrived. */
  async finish(id: string): Promise<void> {
    this.file ??= await this.#uploads.finish(this.#db, await this.#find(id));
  }

  /**
   * Finds the upload, once per request: the request holds the lock, and appended bytes are checked against the stored state.
   */
  async #find(id: string): Promise<Upload> {
    this.#upload ??= await this.#uploads.find(this.#db, id);
    if (this.#upload === null) throw noSuchUpload();
    return this.#upload;
  }

  override async remove(id: string): Promise<void> {
    await this.#uploads.terminate(this.#db, id);
    this.#upload = null;
  }

  override getExpiration(): number {
    return unusedMs;
  }
}

/** The tus server computes the expiry from the creation date; our uploads expire a fixed time after their last byte. */
function toTus({ id, length, received, name, mediaType, expiresAt }: Upload): TusUpload {
  return new TusUpload({
    id,
    offset: received,
    ...(length !== null && { size: length }),
    metadata: { ...(name !== null && { filename: name }), filetype: mediaType },
    creation_date: new Date(expiresAt.getTime() - unusedMs).toISOString(),
  });
}
