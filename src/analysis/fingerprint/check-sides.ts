import { ElementError } from '../../lib/errors.ts';
import type { ImageFormat } from '../formats.ts';
import { openTiff, tiffIntegers } from '../tiff.ts';

/** Longest side of a picture that is decoded; scans of film rolls have some ten thousand pixels. */
const maxSide = 100_000;

/**
 * Reads the longest side from the header, for formats whose headers allow more than decoders can handle: downscaling takes
 * memory in proportion to the length of rows, and a PNG of 10 000 000 × 10 pixels in 300 kB took 5 GB.
 */
const longestSides: Partial<Readonly<Record<ImageFormat, (bytes: Buffer) => number>>> = {
  png: readPngSides,
  tiff: readTiffSides,
};

/** @throws ElementError `too_large` for a picture with a side that no camera and no scanner produces. */
export function checkSides(bytes: Buffer, format: ImageFormat): void {
  const longest = longestSides[format]?.(bytes) ?? 0;
  if (longest <= maxSide) return;
  throw new ElementError('too_large', `the picture has a side of more than ${maxSide} pixels`);
}

/** Returns 0 for a PNG that does not start with its header: it is broken, which the decoder reports. */
function readPngSides(bytes: Buffer): number {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return 0;
  return Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
}

const sideTags = [256, 257];

/** The larger of width and height in the first directory of a TIFF or BigTIFF; 0 if it has none. */
function readTiffSides(bytes: Buffer): number {
  const { read, countSize, entrySize, offsetSize, first } = openTiff(bytes);
  const entries = Math.min(read(first, countSize), 1000);
  let longest = 0;
  for (let i = 0; i < entries; i += 1) {
    const at = first + countSize + i * entrySize;
    const length = tiffIntegers[read(at + 2, 2)];
    if (length === undefined || !sideTags.includes(read(at, 2))) continue;
    longest = Math.max(longest, read(at + 4 + offsetSize, length));
  }
  return longest;
}
