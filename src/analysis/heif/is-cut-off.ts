/**
 * Whether a HEIC is truncated, that is, ends in the middle of a box: decoders show missing pixels as green. What
 * follows the pixels' box, `mdat`, need not be boxes: devices append data of their own.
 */
export function isCutOff(bytes: Buffer): boolean {
  let hasPixels = false;
  let at = 0;
  while (at + 8 <= bytes.length) {
    const isPixels = bytes.toString('latin1', at + 4, at + 8) === 'mdat';
    const length = lengthOfBox(bytes, at);
    if (length < 8) return false; // Not a box: the decoder reports it.
    at += length;
    if (at > bytes.length) return isPixels || !hasPixels;
    hasPixels ||= isPixels;
  }
  return !hasPixels && at < bytes.length;
}

/** Length of a box with its header, in bytes. */
export function lengthOfBox(bytes: Buffer, at: number): number {
  const short = bytes.readUInt32BE(at);
  if (short === 0) return bytes.length - at; // It extends to the end of the file.
  if (short !== 1) return short;
  return at + 16 > bytes.length ? Number.POSITIVE_INFINITY : Number(bytes.readBigUInt64BE(at + 8));
}
