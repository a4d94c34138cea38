/** Whether the last box of a HEIC is longer than the file: decoders show what is missing as green. */
export function isCutOff(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length;) {
    if (at + 16 > bytes.length) return at + 8 > bytes.length || bytes.readUInt32BE(at) > bytes.length - at;
    const short = bytes.readUInt32BE(at);
    if (short === 0) return false; // It ends with the file.
    const length = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short;
    if (length < 8) return false; // No box: the decoder reports it.
    at += length;
    if (at > bytes.length) return true;
  }
  return false;
}
