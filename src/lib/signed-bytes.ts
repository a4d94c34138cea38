import { createHmac, timingSafeEqual } from 'node:crypto';

const signatureBytes = 16;

/** Signs bytes and returns both as text for addresses: HMAC-SHA-256, truncated to 128 bits as RFC 2104 allows. */
export function signBytes(key: Buffer, payload: Buffer): string {
  return Buffer.concat([payload, signatureOf(key, payload)]).toString('base64url');
}

/** The bytes of a signed text; null if it was altered, has another length, or was signed with another key. */
export function openSigned(key: Buffer, text: string, payloadBytes: number): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  // Lenient decoding would accept a second address for the same thing.
  if (bytes.length !== payloadBytes + signatureBytes || bytes.toString('base64url') !== text) return null;
  const payload = bytes.subarray(0, payloadBytes);
  return timingSafeEqual(signatureOf(key, payload), bytes.subarray(payloadBytes)) ? payload : null;
}

function signatureOf(key: Buffer, payload: Buffer): Buffer {
  return createHmac('sha256', key).update(payload).digest().subarray(0, signatureBytes);
}
