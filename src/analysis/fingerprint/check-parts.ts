import { ElementError } from '../../lib/errors.ts';
import type { ImageFormat } from '../formats.ts';
import { gifBlocks } from '../gif.ts';
import { openTiff } from '../tiff.ts';

/** Counts the parts of a file up to one more than `max`; a broken structure ends the count. */
type Count = (bytes: Buffer, max: number) => number;

type Parts = Readonly<{ max: number; of: string; count: Count }>;

/**
 * Parts of which a file may contain many although only one picture is read, and the maximum number allowed: decoders
 * process all of them first, and their timeouts do not apply meanwhile. 200 000 empty WebP frames in 18 MB
 * took a decoder five minutes, as did a JPEG of 1 000 scans of 100 megapixels in 60 MB.
 */
const parts: Partial<Readonly<Record<ImageFormat, Parts>>> = {
  jpeg: { max: 100, of: 'scans', count: countScans },
  webp: { max: 5_000, of: 'frames', count: countChunks },
  tiff: { max: 5_000, of: 'pages', count: countDirectories },
  gif: { max: 100_000, of: 'blocks', count: countBlocks },
};

/** @throws ElementError `too_large` for a picture with more parts than any camera or program produces. */
export function checkParts(bytes: Buffer, format: ImageFormat): void {
  const known = parts[format];
  if (known === undefined || known.count(bytes, known.max) <= known.max) return;
  throw new ElementError('too_large', `the picture has more than ${known.max} ${known.of}`);
}

/** Counts scans. A baseline scan of all components is the whole picture and ends the count; others are read to the end. */
function countScans(bytes: Buffer, max: number): number {
  let components = 0;
  let isBaseline = false;
  let scans = 0;
  for (let at = nextMarker(bytes, 2); at !== -1 && scans <= max;) {
    const marker = bytes[at + 1] ?? 0xd9;
    if (marker === 0xd9 || at + 4 > bytes.length) break;
    const content = at + 4;
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xcc) {
      components = bytes[content + 5] ?? 0;
      isBaseline = marker <= 0xc1;
    }
    if (marker === 0xda) {
      scans += 1;
      if (isBaseline && bytes[content] === components) break;
    }
    at = nextMarker(bytes, at + 2 + bytes.readUInt16BE(at + 2));
  }
  return scans;
}

/** Position of the next significant marker: neither a stuffed 0xff of the data nor a restart marker. */
function nextMarker(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1] ?? 0;
    if (marker !== 0 && marker !== 0xff && (marker < 0xd0 || marker > 0xd8)) return at;
  }
  return -1;
}

/** Counts all chunks of a RIFF file: frames, and anything else that is skipped. */
function countChunks(bytes: Buffer, max: number): number {
  let count = 0;
  for (let at = 12; at + 8 <= bytes.length && count <= max; count += 1) {
    const size = bytes.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  return count;
}

/** Counts the directories of a TIFF or BigTIFF; each ends with the offset of the next. */
function countDirectories(bytes: Buffer, max: number): number {
  const { read, countSize, entrySize, offsetSize, first } = openTiff(bytes);
  const seen = new Set<number>();
  for (let at = first; at > 0 && !seen.has(at) && seen.size <= max;) {
    seen.add(at);
    at = read(at + countSize + read(at, countSize) * entrySize, offsetSize);
  }
  return seen.size;
}

/** Counts the images and extensions of a GIF. */
function countBlocks(bytes: Buffer, max: number): number {
  let count = 0;
  for (const _ of gifBlocks(bytes)) {
    count += 1;
    if (count > max) break;
  }
  return count;
}
