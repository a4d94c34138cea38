import { sniffFormat } from './formats.ts';
import type { ImageFormat } from './formats.ts';
import { maxPixels } from './limits.ts';
import { ElementError } from '../lib/errors.ts';
import { readPngHeader, samplesOf } from './png/chunks.ts';
import { decodedPixelBytes, isHalved } from './png/halve.ts';
import { openTiff, tiffIntegers } from './tiff.ts';

/** The cost of decoding a picture, estimated from its header before anything is decoded. */
export type DecodeCost = Readonly<{
  /** On one otherwise idle processor. */
  seconds: number;
  /** In addition to the file itself and the resulting pixels. */
  memoryBytes: number;
}>;

/**
 * At this cost and above, a picture is large: it is decoded in its own process, which can be killed, and its cost
 * counts toward its tenant's share. A 60-megapixel photograph is not large.
 */
const largeFrom: DecodeCost = { seconds: 1, memoryBytes: 128 * 2 ** 20 };

export function isLarge({ seconds, memoryBytes }: DecodeCost): boolean {
  return seconds >= largeFrom.seconds || memoryBytes >= largeFrom.memoryBytes;
}

/** Data from a header: the number of pixels, and the cost of each. */
type Header = Readonly<{ pixels: number; nanoseconds: number; heldBytes: number }>;

/**
 * Nanoseconds and bytes per pixel, measured with pictures of 64 and 100 megapixels on one core.
 * A decoder that emits rows from top to bottom holds few of them; one that processes the picture
 * several times holds all of it.
 */
const measured = {
  png: {
    nanosecondsPerByte: 2.5,
    interlacedNanosecondsPerByte: 4.5,
    halvedNanosecondsPerByte: 15,
    halvedBytesPerSample: 0.75,
  },
  jpeg: { nanoseconds: 4, severalScansNanoseconds: 15, bytesPerCoefficient: 2 },
  webp: { nanoseconds: 10, heldBytes: 0.5, losslessHeldBytes: 4 },
  gif: { nanoseconds: 12, heldBytes: 5 },
  tiff: { nanosecondsPerByte: 2, copies: 2 },
  avif: { nanoseconds: 35, heldBytes: 18 },
  heic: { nanoseconds: 50, heldBytes: 10.5 },
} as const;

/** For a header that cannot be parsed: the cost is unknown, so the picture is decoded in its own process. */
const unknown: DecodeCost = { seconds: 2, memoryBytes: 256 * 2 ** 20 };
/** For a picture that the decoder rejects because of its header. */
const nothing: DecodeCost = { seconds: 0, memoryBytes: 0 };

type HeaderReader = (bytes: Buffer) => Header | null;

const readers: Readonly<Record<ImageFormat, HeaderReader>> = {
  png: readPng,
  jpeg: readJpeg,
  webp: readWebp,
  gif: readGif,
  tiff: readTiff,
  avif: (bytes) => readHeif(bytes, measured.avif),
  heic: (bytes) => readHeif(bytes, measured.heic),
};

/** Reads only a bounded part of the file, so it may run on a thread that must not be blocked. */
export function decodeCost(bytes: Buffer): DecodeCost {
  const format = sniffFormat(bytes);
  if (format === null) return nothing;
  const header = readers[format](bytes);
  if (header === null) return unknown;
  const { pixels, nanoseconds, heldBytes } = header;
  if (pixels > maxPixels) return nothing;
  return { seconds: (pixels * nanoseconds) / 1e9, memoryBytes: Math.ceil(pixels * heldBytes) };
}

/** @throws ElementError `too_large` for a picture that needs more memory than one picture may use. */
export function checkMemory({ memoryBytes }: DecodeCost, maxBytes: number): void {
  if (memoryBytes <= maxBytes) return;
  const [needed, most] = [memoryBytes, maxBytes].map((size) => Math.ceil(size / 2 ** 20));
  throw new ElementError(
    'too_large',
    `decoding the picture takes ${needed} MiB of memory, more than ${most}: save it as a baseline JPEG, or smaller`,
  );
}

function readPng(bytes: Buffer): Header | null {
  const header = readPngHeader(bytes);
  if (header === null) return null;
  const size = decodedPixelBytes(header);
  const { nanosecondsPerByte, interlacedNanosecondsPerByte, halvedNanosecondsPerByte, halvedBytesPerSample } =
    measured.png;
  const pixels = header.width * header.height;
  if (isHalved(header)) {
    const heldBytes = samplesOf(header) * halvedBytesPerSample;
    return { pixels, nanoseconds: size * halvedNanosecondsPerByte, heldBytes };
  }
  const { isInterlaced } = header;
  return {
    pixels,
    nanoseconds: size * (isInterlaced ? interlacedNanosecondsPerByte : nanosecondsPerByte),
    heldBytes: isInterlaced ? size : 0,
  };
}

/** No ordinary file has more segments than this before the pixels. */
const mostSegments = 1_000;

/** Reads segment by segment up to the first scan. */
function readJpeg(bytes: Buffer): Header | null {
  let frame: JpegFrame | null = null;
  for (let [at, count] = [2, 0]; at + 10 <= bytes.length && count < mostSegments; count += 1) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return null;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xda) return frame && jpegHeader(frame, bytes[at + 4] ?? 0);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) frame = readJpegFrame(bytes, at);
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

type JpegFrame = Readonly<{ pixels: number; components: number; samples: number; isSequential: boolean }>;

function readJpegFrame(bytes: Buffer, at: number): JpegFrame {
  const components = bytes[at + 9] ?? 0;
  const factors = Array.from({ length: components }, (_, index) => bytes[at + 11 + 3 * index] ?? 0x11);
  const areas = factors.map((factor) => Math.max(1, factor >> 4) * Math.max(1, factor & 15));
  const whole = Math.max(1, ...areas);
  return {
    pixels: bytes.readUInt16BE(at + 5) * bytes.readUInt16BE(at + 7),
    components,
    /** Coefficients per pixel, of all components together. */
    samples: areas.reduce((sum, area) => sum + area / whole, 0),
    isSequential: [0xc0, 0xc1, 0xc9].includes(bytes[at + 1] ?? 0),
  };
}

/** If the first scan of a sequential picture contains all components, it is the only scan. */
function jpegHeader({ pixels, components, samples, isSequential }: JpegFrame, inScan: number): Header {
  const { nanoseconds, severalScansNanoseconds, bytesPerCoefficient } = measured.jpeg;
  if (isSequential && inScan === components) return { pixels, nanoseconds, heldBytes: 0 };
  return { pixels, nanoseconds: severalScansNanoseconds, heldBytes: samples * bytesPerCoefficient };
}

function readWebp(bytes: Buffer): Header | null {
  if (bytes.length < 30) return null;
  const { nanoseconds, heldBytes, losslessHeldBytes } = measured.webp;
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8 ') {
    const pixels = (bytes.readUInt16LE(26) & 0x3fff) * (bytes.readUInt16LE(28) & 0x3fff);
    return { pixels, nanoseconds, heldBytes };
  }
  if (kind === 'VP8L') {
    const sides = bytes.readUInt32LE(21);
    const pixels = ((sides & 0x3fff) + 1) * (((sides >>> 14) & 0x3fff) + 1);
    return { pixels, nanoseconds, heldBytes: losslessHeldBytes };
  }
  if (kind !== 'VP8X') return null;
  const pixels = (bytes.readUIntLE(24, 3) + 1) * (bytes.readUIntLE(27, 3) + 1);
  return { pixels, nanoseconds, heldBytes: losslessHeldBytes };
}

function readGif(bytes: Buffer): Header | null {
  if (bytes.length < 10) return null;
  return { pixels: bytes.readUInt16LE(6) * bytes.readUInt16LE(8), ...measured.gif };
}

/** TIFF tags for the size of a picture, its samples, and its strips or tiles. */
const tiffTags = { 256: 'width', 257: 'height', 258: 'bits', 277: 'samples', 278: 'rows', 322: 'tileWidth', 323: 'tileHeight' } as const; // prettier-ignore

function readTiff(bytes: Buffer): Header | null {
  const { read, countSize, entrySize, offsetSize, first } = openTiff(bytes);
  const found: Partial<Record<(typeof tiffTags)[keyof typeof tiffTags], number>> = {};
  for (let i = 0; i < Math.min(read(first, countSize), 1000); i += 1) {
    const at = first + countSize + i * entrySize;
    const name = (tiffTags as Readonly<Record<number, keyof typeof found>>)[read(at, 2)];
    const length = tiffIntegers[read(at + 2, 2)];
    if (name === undefined || length === undefined) continue;
    const value = at + 4 + offsetSize;
    // Values that do not fit into the entry are stored elsewhere; only the first of them is used.
    const isElsewhere = read(at + 4, offsetSize) * length > offsetSize;
    found[name] = read(isElsewhere ? read(value, offsetSize) : value, length);
  }
  const { width = 0, height = 0, bits = 8, samples = 1, tileWidth, tileHeight } = found;
  const pixels = width * height;
  const size = (samples * Math.max(8, bits)) / 8;
  const { nanosecondsPerByte, copies } = measured.tiff;
  const rows = Math.min(found.rows ?? height, height);
  const piece = tileWidth === undefined || tileHeight === undefined ? rows * width : tileWidth * tileHeight;
  return {
    pixels,
    nanoseconds: size * nanosecondsPerByte,
    heldBytes: pixels === 0 ? 0 : (copies * size * piece) / pixels,
  };
}

/** How many bytes of an AVIF or HEIC are searched for picture sizes, which come before all pixels. */
const heifHeaderBytes = 2 ** 16;

function readHeif(bytes: Buffer, cost: Pick<Header, 'nanoseconds' | 'heldBytes'>): Header | null {
  const pixels = heifPixels(bytes);
  return pixels === null ? null : { pixels, ...cost };
}

/** Pixels of the largest size that is found: if the picture consists of parts, that is the size of the whole. */
export function heifPixels(bytes: Buffer): number | null {
  const head = bytes.subarray(0, heifHeaderBytes);
  let pixels = 0;
  for (let at = head.indexOf('ispe'); at !== -1 && at + 16 <= head.length; at = head.indexOf('ispe', at + 4)) {
    pixels = Math.max(pixels, head.readUInt32BE(at + 8) * head.readUInt32BE(at + 12));
  }
  return pixels === 0 ? null : pixels;
}
