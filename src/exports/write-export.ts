import { randomUUID } from 'node:crypto';
import type { Queryable } from '../backing/index.ts';
import { partName, removeParts } from '../storage/index.ts';
import type { FileStore } from '../storage/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { ExportFormat } from './formats.ts';
import { exportHours, exportLimits, exportPartBytes } from './limits.ts';
import * as statements from './statements.ts';

/** The operation, format and name of a new file. */
export type BegunExport = Readonly<{ operationId: number; format: ExportFormat; name: string }>;

/** Thrown when an export needs more space than exports may take. */
export class NoRoomError extends Error {
  constructor(whose: string, bytes: number) {
    super(
      `with this file, the exports of ${whose} would have more than ${bytes / 2 ** 30} GiB; ` +
        `export fewer records, or wait: files are kept for ${exportHours} hours`,
    );
  }
}

/** Writes the file of an export part by part; only one part is in memory. */
export class ExportWriter {
  readonly #db: TenantDb;
  readonly #store: FileStore;
  readonly #id = randomUUID();
  readonly #parts: number[] = [];
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(db: TenantDb, store: FileStore) {
    this.#db = db;
    this.#store = store;
  }

  async begin({ operationId, format, name }: BegunExport, client: Queryable): Promise<void> {
    await this.#db.query(statements.begin, [this.#id, operationId, format, name], client);
  }

  /** @throws NoRoomError if there is no space left. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes >= exportPartBytes) await this.flush();
  }

  /** Stores the bytes written so far. @throws NoRoomError */
  async flush(): Promise<void> {
    if (this.#heldBytes === 0) return;
    const part = Buffer.concat(this.#held);
    [this.#held, this.#heldBytes] = [[], 0];
    const { rows } = await this.#db.pool.query<{ bytes: number }>(statements.allBytes);
    if ((rows[0]?.bytes ?? 0) + part.length > exportLimits.bytes)
      throw new NoRoomError('all tenants', exportLimits.bytes);
    const offset = this.#parts.reduce((sum, size) => sum + size, 0);
    await this.#store.write(partName(this.#db.tenantId, this.#id, offset), part);
    this.#parts.push(part.length);
    const { rowCount } = await this.#db.query(statements.appendPart, [this.#id, part.length]);
    if (rowCount === 0) throw new NoRoomError('the tenant', exportLimits.tenantBytes);
  }

  /** Makes the file readable, in the transaction that ends its operation. Everything must have been flushed before. */
  async complete(client: Queryable, numRecords: number): Promise<void> {
    await this.#db.query(statements.complete, [this.#id, numRecords], client);
  }

  /** Removes everything written so far. */
  async discard(): Promise<void> {
    await removeParts(this.#store, { tenantId: this.#db.tenantId, id: this.#id, parts: this.#parts });
    await this.#db.query(statements.remove, [this.#id]);
  }
}
