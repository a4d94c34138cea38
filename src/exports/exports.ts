import type { Database, Queryable } from '../backing/index.ts';
import type { AskedPart, Resource, SourceStream } from '../catalog/index.ts';
import { rangeOf } from '../lib/byte-range.ts';
import { AppError } from '../lib/errors.ts';
import { FairSemaphore } from '../lib/fair-semaphore.ts';
import { loadOnce } from '../lib/load-once.ts';
import { partsOf, removeFiles } from '../storage/index.ts';
import type { FileStore, OwnedParts, StoredParts } from '../storage/index.ts';
import { forTenant, serviceKey } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { signDownload, verifyDownload } from './address.ts';
import type { DownloadAddress } from './address.ts';
import { exportFormats } from './formats.ts';
import type { ExportFormat } from './formats.ts';
import { parallelDownloads, sendingHours } from './limits.ts';
import * as statements from './statements.ts';
import { ExportWriter } from './write-export.ts';
import type { BegunExport } from './write-export.ts';

/** The file of a completed export. */
export type ExportFile = Readonly<{
  id: string;
  operationId: number;
  format: ExportFormat;
  name: string;
  numRecords: number;
  byteSize: number;
  createdAt: Date;
  expiresAt: Date;
}>;

/** The file of an export with the kind of its records: only those who may read the records may have it. */
type FoundExport = ExportFile & Readonly<{ resource: Resource }>;

/** A file that is being sent. */
type Download = SourceStream & Readonly<{ name: string; type: string }>;

/** Files of exports. They are kept for a day after the export has ended, and while they are being sent. */
export type Exports = Readonly<{
  /** Starts the file of an operation. The transaction makes sure that nobody else has begun it in the meantime. */
  begin(db: TenantDb, begun: BegunExport, client: Queryable): Promise<ExportWriter>;
  /** The file of an operation, and the kind of its records; null if it has none, or if the file has expired. */
  find(db: TenantDb, operationId: number): Promise<FoundExport | null>;
  /** The path of a file; whoever has it needs no key. */
  pathOf(tenantId: number, file: ExportFile): Promise<string>;
  /** The file that the last segment of such a path refers to; null if the path was altered or has expired. */
  verify(text: string): Promise<DownloadAddress | null>;
  /**
   * Opens a file, or part of it, for sending; null if it no longer exists.
   *
   * @throws AppError `unavailable` if too many files are being sent.
   */
  download(address: DownloadAddress, asked: AskedPart): Promise<Download | null>;
  /** A whole file, piece by piece. */
  read(db: TenantDb, file: ExportFile): AsyncIterable<Uint8Array>;
  /** Removes the expired files of all tenants. @returns the number of files. */
  removeExpired(now?: Date, signal?: AbortSignal): Promise<number>;
  close(): Promise<void>;
}>;

type Row = ExportFile & StoredParts;

/** Bytes read at a time for sending. */
const pieceBytes = 2 ** 20;

/** When a file that is being sent has less time left than this, it is renewed. */
const renewMs = (sendingHours * 3_600_000) / 2;

/** Opens the exports of a service. */
export function openExports(database: Database, store: FileStore): Exports {
  const key = loadOnce(() => serviceKey(database, 'exports'));
  const places = new FairSemaphore({ name: 'downloads', ...parallelDownloads });

  /** Returns a function that renews a file if it is about to expire. */
  function keeperOf(tenantId: number, { id, expiresAt }: Row): () => Promise<void> {
    let keptUntil = expiresAt.getTime();
    return async () => {
      if (keptUntil - Date.now() > renewMs) return;
      await forTenant(database, tenantId).query(statements.keepWhileSent, [id]);
      keptUntil = Date.now() + 2 * renewMs;
    };
  }

  async function* pieces(
    tenantId: number,
    row: Row,
    { start, end }: { start: number; end: number },
    keep = keeperOf(tenantId, row),
  ) {
    for (let at = start; at < end; at += pieceBytes) {
      await keep();
      yield* partsOf(store, tenantId, row, { start: at, end: Math.min(end, at + pieceBytes) });
    }
  }

  return {
    async begin(db, begun, client) {
      const writer = new ExportWriter(db, store);
      await writer.begin(begun, client);
      return writer;
    },
    async find(db, operationId) {
      const { rows } = await db.query<Row & FoundExport>(statements.findByOperation, [operationId]);
      return rows[0] ?? null;
    },
    pathOf: async (tenantId, { id, expiresAt }) => signDownload(await key(), { tenantId, id, expiresAt }),
    verify: async (text) => verifyDownload(await key(), text, Date.now()),
    async download({ tenantId, id }, { range, condition }) {
      const { rows } = await forTenant(database, tenantId).query<Row>(statements.findById, [id]);
      const [row] = rows;
      if (row === undefined) return null;
      const keep = keeperOf(tenantId, row);
      await keep();
      const release = places.tryAcquire(tenantId);
      if (release === null) throw new AppError('unavailable', 'Too many files are being sent');
      const { byteSize: size, name, format } = row;
      const tag = `"${id}"`;
      const part = rangeOf(range, condition, { length: size, tag });
      const sent = part === null || part === 'unsatisfiable' ? { start: 0, end: size } : part;
      const bytes = () => pieces(tenantId, row, sent, keep);
      const { mediaType: type } = exportFormats[format];
      return { name, type, size, tag, part, hasParts: true, bytes, close: async () => release() };
    },
    read: (db, file) => pieces(db.tenantId, file as Row, { start: 0, end: file.byteSize }),
    removeExpired: (now = new Date(), signal) =>
      removeFiles(store, {
        next: async (failed) => (await database.pool.query<OwnedParts>(statements.expired, [now, failed])).rows,
        drop: async (ids) => (await database.pool.query(statements.removeAll, [ids])).rowCount ?? 0,
        signal,
      }),
    close: () => store.close(),
  };
}
