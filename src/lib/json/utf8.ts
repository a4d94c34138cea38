import { isUtf8 } from 'node:buffer';

/**
 * Returns a body without its byte order mark, which Windows programs write; null if it is not UTF-8, since decoding
 * it would lose characters.
 */
export function readUtf8(bytes: Buffer): Buffer | null {
  if (!isUtf8(bytes)) return null;
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
