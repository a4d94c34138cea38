import { partsOf } from '../storage/index.ts';
import type { FileStore, StoredParts } from '../storage/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { checksumIn } from './address.ts';
import { findKept } from './statements.ts';

/** A complete file with random access. */
export type KeptFile = Readonly<{
  size: number;
  /** SHA-256. */
  checksum: string;
  /** Reads the bytes from `start` up to `end`. */
  read(start: number, end: number): Promise<Buffer>;
}>;

type Row = StoredParts & Readonly<{ received: number }>;

/** Opens the file that a `src_path` refers to; null if the tenant has no such file. */
export async function openKept(db: TenantDb, store: FileStore, srcPath: string): Promise<KeptFile | null> {
  const checksum = checksumIn(srcPath);
  if (checksum === null) return null;
  const { rows } = await db.query<Row>(findKept, [checksum]);
  const [row] = rows;
  if (row === undefined) return null;
  return {
    size: row.received,
    checksum,
    async read(start, end) {
      const pieces: Buffer[] = [];
      for await (const piece of partsOf(store, db.tenantId, row, { start, end })) pieces.push(piece);
      return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    },
  };
}
