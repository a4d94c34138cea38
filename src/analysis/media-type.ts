import { sniffFormat } from './formats.ts';

/** Number of leading bytes that suffice to tell a file's media type. */
export const sniffedBytes = 256;

/** The media type of a picture or video by the first bytes of its file; null for anything else. */
export function sniffMediaType(bytes: Buffer): string | null {
  const format = bytes.length < 12 ? null : sniffFormat(bytes);
  return format === null ? sniffVideo(bytes) : `image/${format}`;
}

function sniffVideo(bytes: Buffer): string | null {
  if (bytes.toString('latin1', 4, 8) === 'ftyp') {
    return bytes.toString('latin1', 8, 12) === 'qt  ' ? 'video/quicktime' : 'video/mp4';
  }
  if (bytes.length < 4 || bytes.readUInt32BE(0) !== 0x1a_45_df_a3) return null;
  return bytes.subarray(0, sniffedBytes).includes('webm') ? 'video/webm' : 'video/x-matroska';
}
