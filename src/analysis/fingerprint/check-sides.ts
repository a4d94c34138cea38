import { ElementError } from '../../lib/errors.ts';
import type { ImageFormat } from '../formats.ts';
import { readPngHeader } from '../png/chunks.ts';
import { tiffIntegers } from '../tiff.ts';

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

function readPngSides(bytes: Buffer): number {
  const header = readPngHeader(bytes);
  return header === null ? 0 : Math.max(header.width, header.height);
}

/** The larger of width and height in the first directory of a TIFF or BigTIFF; 0 if it has none. */
function readTiffSides(bytes: Buffer): number {
  const found = tiffIntegers(bytes);
  return Math.max(found.get(256) ?? 0, found.get(257) ?? 0);
}
