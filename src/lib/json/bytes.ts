/** Bytes of the JSON syntax. */
export const quote = 0x22;
export const comma = 0x2c;
export const backslash = 0x5c;
export const openArray = 0x5b;
export const closeArray = 0x5d;
export const openObject = 0x7b;
export const closeObject = 0x7d;

/** Position of the first byte at or after `from` that is not white space. */
export function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at])
    at += 1;
  return at;
}
