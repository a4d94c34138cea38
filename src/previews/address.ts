import { resources } from '../catalog/index.ts';
import type { Resource } from '../catalog/index.ts';
import { openSealed, sealBytes } from '../lib/sealed-bytes.ts';

/** What a preview shows: the picture of a record at the time its address was issued. */
export type Shown = Readonly<{
  tenantId: number;
  resource: Resource;
  rowId: bigint;
  /**
   * Identifies the file, as 16 bytes in hexadecimal: for a picture, the beginning of its SHA-256; for a video, the
   * reading of its source.
   */
  fileId: string;
}>;

/**
 * What a URL may be used for: one for a preview does not open a file. The index in this list is signed, so the order
 * must not change.
 */
const uses = [undefined, 'preview', 'file'] as const;
export type AddressUse = NonNullable<(typeof uses)[number]>;

/** The content of a URL with a valid signature. */
export type Address = Shown & Readonly<{ expiresAt: Date }>;

const hourMs = 3_600_000;
/**
 * URLs change only at the end of a day, so that browsers find what they have cached; each is valid for at least a
 * day.
 */
const dayHours = 24;
const fileIdBytes = 16;
/** Use, resource, tenant, row, hour, file. */
const payloadBytes = 1 + 1 + 4 + 8 + 4 + fileIdBytes;

/** The end of the next day. */
export function expiryAt(now: number): Date {
  const hour = Math.floor(now / hourMs);
  return new Date((Math.floor(hour / dayHours) + 2) * dayHours * hourMs);
}

/** The signed text in a URL that identifies what it shows. */
export function signAddress(
  key: Buffer,
  use: AddressUse,
  { tenantId, resource, rowId, fileId }: Shown,
  expiresAt: Date,
): string {
  const bytes = Buffer.alloc(payloadBytes);
  bytes.writeUInt8(uses.indexOf(use), 0);
  bytes.writeUInt8(resources.indexOf(resource), 1);
  bytes.writeUInt32BE(tenantId, 2);
  bytes.writeBigUInt64BE(rowId, 6);
  bytes.writeUInt32BE(expiresAt.getTime() / hourMs, 14);
  bytes.write(fileId, 18, fileIdBytes, 'hex');
  return sealBytes(key, bytes);
}

/**
 * The content of a signed text; null if it was altered, has expired, or was signed with another key or for another
 * use.
 */
export function verifyAddress(key: Buffer, use: AddressUse, text: string, now: number): Address | null {
  const bytes = openSealed(key, text, payloadBytes);
  if (bytes === null) return null;
  const resource = resources[bytes.readUInt8(1)];
  const expiresAt = new Date(bytes.readUInt32BE(14) * hourMs);
  if (uses[bytes.readUInt8(0)] !== use || resource === undefined || expiresAt.getTime() <= now) return null;
  return {
    tenantId: bytes.readUInt32BE(2),
    resource,
    rowId: bytes.readBigUInt64BE(6),
    fileId: bytes.toString('hex', 18, 18 + fileIdBytes),
    expiresAt,
  };
}
