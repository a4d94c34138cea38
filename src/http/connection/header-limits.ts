import type { Limits } from '../limits.ts';

/** Bytes of a header besides its name and value: a colon, a space and the line break. */
const separators = 4;

/** Whether a request has too many headers, or too large ones. */
export function exceedsHeaderLimits(
  rawHeaders: readonly string[],
  { headers, headerBytes }: Pick<Limits, 'headers' | 'headerBytes'>,
): boolean {
  if (rawHeaders.length > 2 * headers) return true;
  // Headers are decoded as Latin-1, so a character is a byte.
  let bytes = (rawHeaders.length / 2) * separators;
  for (const part of rawHeaders) bytes += part.length;
  return bytes > headerBytes;
}
