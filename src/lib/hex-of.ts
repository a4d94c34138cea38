/** Bytes in hexadecimal digits. */
export function hexOf({ buffer, byteOffset, byteLength }: Uint8Array | Int8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex');
}
