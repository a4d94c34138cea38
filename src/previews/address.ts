import { createHmac, timingSafeEqual } from 'node:crypto';
import { resources } from '../catalog/index.ts';
import type { Resource } from '../catalog/index.ts';

/** What a preview shows: the picture of a record as it was when its address was given away. */
export type Shown = Readonly<{
  tenantId: number;
  resource: Resource;
  rowId: bigint;
  /** First 16 bytes of the SHA-256 of the picture's file, hexadecimal. */
  checksum: string;
}>;

/** What an address says, if its signature is right. */
export type Address = Shown & Readonly<{ expiresAt: Date }>;

const version = 1;
const hourMs = 3_600_000;
/** Addresses change at the end of a day, so that a browser finds what it has kept; each holds for a day at least. */
const dayHours = 24;
const checksumBytes = 16;
const signatureBytes = 16;
/** Version, resource, tenant, row, hour, checksum. */
const payloadBytes = 1 + 1 + 4 + 8 + 4 + checksumBytes;

/** The end of the day after the one that is under way. */
export function expiryAt(now: number): Date {
  const hour = Math.floor(now / hourMs);
  return new Date((Math.floor(hour / dayHours) + 2) * dayHours * hourMs);
}

/** What stands in an address for what it shows: signed by HMAC-SHA-256, cut to 128 bits as RFC 2104 allows. */
export function sign(key: Buffer, { tenantId, resource, rowId, checksum }: Shown, expiresAt: Date): string {
  const bytes = Buffer.alloc(payloadBytes + signatureBytes);
  bytes.writeUInt8(version, 0);
  bytes.writeUInt8(resources.indexOf(resource), 1);
  bytes.writeUInt32BE(tenantId, 2);
  bytes.writeBigUInt64BE(rowId, 6);
  bytes.writeUInt32BE(expiresAt.getTime() / hourMs, 14);
  bytes.write(checksum, 18, checksumBytes, 'hex');
  signatureOf(key, bytes).copy(bytes, payloadBytes);
  return bytes.toString('base64url');
}

/** What a signed text says; null where it is altered, of another key, or expired. */
export function verify(key: Buffer, text: string, now: number): Address | null {
  const bytes = Buffer.from(text, 'base64url');
  // A text that is decoded leniently would be a second address of the same preview.
  if (bytes.length !== payloadBytes + signatureBytes || bytes.toString('base64url') !== text) return null;
  if (!timingSafeEqual(signatureOf(key, bytes), bytes.subarray(payloadBytes))) return null;
  const resource = resources[bytes.readUInt8(1)];
  const expiresAt = new Date(bytes.readUInt32BE(14) * hourMs);
  if (bytes.readUInt8(0) !== version || resource === undefined || expiresAt.getTime() <= now) return null;
  return {
    tenantId: bytes.readUInt32BE(2),
    resource,
    rowId: bytes.readBigUInt64BE(6),
    checksum: bytes.toString('hex', 18, 18 + checksumBytes),
    expiresAt,
  };
}

function signatureOf(key: Buffer, bytes: Buffer): Buffer {
  return createHmac('sha256', key).update(bytes.subarray(0, payloadBytes)).digest().subarray(0, signatureBytes);
}
