import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** The line for one file in contents.txt: SHA-256, size in bytes, and the name as a JSON string. */
export function contentsLine(name: string, size: number, sha256: string): string {
  return `${sha256} ${size} ${JSON.stringify(name)}\n`;
}

/** SHA-256 in hexadecimal; the digest of contents.txt is the digest of the archive. */
export function digestOf(bytes: Buffer | string): string {
  return hash('sha256', bytes);
}

/** The signature of an archive: an HMAC of its digest, which covers every byte of its files. */
export function signDigest(digest: string, key: string): string {
  return createHmac('sha256', key).update(`vitrine archive ${digest}`).digest('hex');
}

/** Whether a signature was made with this key. */
export function isSignedBy(key: string, digest: string, signature: string): boolean {
  return timingSafeEqual(Buffer.from(signDigest(digest, key), 'hex'), Buffer.from(signature, 'hex'));
}
