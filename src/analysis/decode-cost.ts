import { sniffFormat } from './formats.ts';
import type { ImageFormat } from './formats.ts';
import { gifBlocks } from './gif.ts';
import { heifPixels } from './heif/heif-pixels.ts';
import { maxPixels } from './limits.ts';
import { ElementError } from '../lib/errors.ts';
import { readPngHeader, samplesOf } from './png/chunks.ts';
import { decodedPixelBytes, isHalved } from './png/halve.ts';
import { tiffIntegers } from './tiff.ts';

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
/** For a picture that is refused because of its header, as by `checkPixels`. */
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

/**
 * Some pictures are prepared for the decoder, and take memory before it could refuse them.
 *
 * @throws ElementError `too_large` for a picture with more pixels than are decoded.
 */
export function checkPixels(bytes: Buffer, format: ImageFormat): void {
  if ((readers[format](bytes)?.pixels ?? 0) > maxPixels) throw tooManyPixels();
}

export function tooManyPixels(): ElementError {
  return new ElementError('too_large', `the picture has more than ${maxPixels / 1e6} megapixels`);
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

/** How many bytes of a GIF are searched for its first frame. */
const gifHeaderBytes = 2 ** 20;

/** The first frame may be larger than the screen that the header states; others are cut to it. */
function readGif(bytes: Buffer): Header | null {
  for (const { isImage, at } of gifBlocks(bytes.subarray(0, gifHeaderBytes))) {
    if (!isImage) continue;
    if (at + 9 > bytes.length) break;
    const width = Math.max(bytes.readUInt16LE(6), bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5));
    const height = Math.max(bytes.readUInt16LE(8), bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7));
    return { pixels: width * height, ...measured.gif };
  }
  return null;
}

/** TIFF tags for the size of a picture, its samples, and its strips or tiles. */
const tiffTags = { width: 256, height: 257, bits: 258, samples: 277, rows: 278, tileWidth: 322, tileHeight: 323 } as const; // prettier-ignore

function readTiff(bytes: Buffer): Header | null {
  const found = tiffIntegers(bytes);
  const valueOf = (name: keyof typeof tiffTags) => found.get(tiffTags[name]);
  const [width, height] = [valueOf('width') ?? 0, valueOf('height') ?? 0];
  const [bits, samples] = [valueOf('bits') ?? 8, valueOf('samples') ?? 1];
  const [tileWidth, tileHeight] = [valueOf('tileWidth'), valueOf('tileHeight')];
  const pixels = width * height;
  const size = (samples * Math.max(8, bits)) / 8;
  const { nanosecondsPerByte, copies } = measured.tiff;
  const rows = Math.min(valueOf('rows') ?? height, height);
  const piece = tileWidth === undefined || tileHeight === undefined ? rows * width : tileWidth * tileHeight;
  return {
    pixels,
    nanoseconds: size * nanosecondsPerByte,
    heldBytes: pixels === 0 ? 0 : (copies * size * piece) / pixels,
  };
}

function readHeif(bytes: Buffer, cost: Pick<Header, 'nanoseconds' | 'heldBytes'>): Header | null {
  const pixels = heifPixels(bytes);
  return pixels === null ? null : { pixels, ...cost };
}
