import { openSealed, sealBytes } from '../lib/sealed-bytes.ts';

/** Path of exported files: `/downloads/SIGNED`. */
export const downloadsPath = '/downloads/';

/** The file of an export, as its address encodes it. */
export type DownloadAddress = Readonly<{ tenantId: number; id: string; expiresAt: Date }>;

const idBytes = 16;
/** Tenant, expiry in seconds, and file id. */
const payloadBytes = 4 + 4 + idBytes;

/** The path of a file, valid until the file is removed. */
export function signDownload(key: Buffer, { tenantId, id, expiresAt }: DownloadAddress): string {
  const bytes = Buffer.alloc(payloadBytes);
  bytes.writeUInt32BE(tenantId, 0);
  bytes.writeUInt32BE(Math.floor(expiresAt.getTime() / 1000), 4);
  bytes.write(id.replaceAll('-', ''), 8, idBytes, 'hex');
  return downloadsPath + sealBytes(key, bytes);
}

/** The address in a signed text; null if the text was altered or has expired. */
export function verifyDownload(key: Buffer, text: string, now: number): DownloadAddress | null {
  const bytes = openSealed(key, text, payloadBytes);
  if (bytes === null) return null;
  const expiresAt = new Date(bytes.readUInt32BE(4) * 1000);
  if (expiresAt.getTime() <= now) return null;
  const hex = bytes.toString('hex', 8);
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { tenantId: bytes.readUInt32BE(0), id, expiresAt };
}
