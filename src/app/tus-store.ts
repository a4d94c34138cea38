import type { Readable } from 'node:stream';
import { DataStore, Upload as TusUpload } from '@tus/server';
import { AppError } from '../lib/errors.ts';
import type { TenantDb } from '../tenants/index.ts';
import { unusedHours } from '../uploads/index.ts';
import type { Upload, KeptUpload, Uploads } from '../uploads/index.ts';
import type { SentBody } from './sent-body.ts';

const unusedMs = unusedHours * 3_600_000;

/** The uploads of one tenant, as the protocol's server takes them. */
export class TusStore extends DataStore {
  override extensions = ['creation', 'creation-with-upload', 'termination', 'expiration'];
  readonly #uploads: Uploads;
  readonly #db: TenantDb;
  readonly #sent: SentBody | null;
  /** The upload of this request, as it is by now. */
  #upload: Upload | null = null;
  /** The file that was completed, or found complete. */
  file: KeptUpload | null = null;

  /** `sent`: the bytes of a file that the request has. */
  constructor(uploads: Uploads, db: TenantDb, sent: SentBody | null) {
    super();
    this.#uploads = uploads;
    this.#db = db;
    this.#sent = sent;
  }

  override async create(upload: TusUpload): Promise<TusUpload> {
    // Names of metadata: those of tus-js-client's documentation, and those of Uppy.
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
    // A process may have ended between the last byte and the end.
    if (upload.received === upload.length) await this.finish(id);
    return toTus(upload);
  }

  /** Ends an upload of which everything is there. */
  async finish(id: string): Promise<void> {
    this.file ??= await this.#uploads.finish(this.#db, await this.#find(id));
  }

  /** What this request has found is still so: it has the lock, and what it stores is compared with what is there. */
  async #find(id: string): Promise<Upload> {
    this.#upload ??= await this.#uploads.find(this.#db, id);
    if (this.#upload === null) throw noSuchUpload();
    return this.#upload;
  }

  override remove(id: string): Promise<void> {
    return this.#uploads.terminate(this.#db, id);
  }

  override getExpiration(): number {
    return unusedMs;
  }
}

/** The server takes an upload for expired so long after its creation; ours lives for so long after its last byte. */
function toTus({ id, length, received, name, mediaType, expiresAt }: Upload): TusUpload {
  return new TusUpload({
    id,
    offset: received,
    ...(length !== null && { size: length }),
    metadata: { ...(name !== null && { filename: name }), filetype: mediaType },
    creation_date: new Date(expiresAt.getTime() - unusedMs).toISOString(),
  });
}

/** The refusal of an upload that the tenant does not have. */
function noSuchUpload(): AppError {
  return new AppError('not_found', 'No such upload', { hint: 'It may have expired: begin it again' });
}
