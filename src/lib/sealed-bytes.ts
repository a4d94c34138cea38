import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';

const signatureBytes = 16;

/**
 * Encrypts and signs bytes, and returns them as text for URLs. The same bytes give the same text, so that browsers
 * find what they have cached. Uses a synthetic initialization vector as in RFC 5297: HMAC-SHA-256 of the bytes,
 * truncated to 128 bits, is both the signature and the IV of AES-256-CTR. Encrypted, because row numbers would tell a
 * tenant how much others store.
 */
export function sealBytes(key: Buffer, payload: Buffer): string {
  const signature = signatureOf(key, payload);
  const hidden = createCipheriv('aes-256-ctr', cipherKeyOf(key), signature).update(payload);
  return Buffer.concat([hidden, signature]).toString('base64url');
}

/** The bytes of a sealed text; null if it was altered, has another length, or was sealed with another key. */
export function openSealed(key: Buffer, text: string, payloadBytes: number): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  // Lenient decoding would accept a second URL for the same thing.
  if (bytes.length !== payloadBytes + signatureBytes || bytes.toString('base64url') !== text) return null;
  const signature = bytes.subarray(payloadBytes);
  const payload = createDecipheriv('aes-256-ctr', cipherKeyOf(key), signature).update(bytes.subarray(0, payloadBytes));
  return timingSafeEqual(signatureOf(key, payload), signature) ? payload : null;
}

function signatureOf(key: Buffer, payload: Buffer): Buffer {
  return createHmac('sha256', key).update(payload).digest().subarray(0, signatureBytes);
}

const cipherKeys = new WeakMap<Buffer, Buffer>();

/** Signing and encrypting need different keys. */
function cipherKeyOf(key: Buffer): Buffer {
  const known = cipherKeys.get(key) ?? createHmac('sha256', key).update('encryption of addresses').digest();
  cipherKeys.set(key, known);
  return known;
}
