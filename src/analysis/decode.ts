import { hash } from 'node:crypto';
import sharp from 'sharp';
import { ElementError } from '../lib/errors.ts';
import { toDecodable } from './decodable.ts';
import { checkPixels, tooManyPixels } from './decode-cost.ts';
import { checkParts } from './fingerprint/check-parts.ts';
import { checkSides } from './fingerprint/check-sides.ts';
import { sniffFormat } from './formats.ts';
import type { ImageFormat } from './formats.ts';
import { maxPixels } from './limits.ts';
import { placeholderOf } from './placeholder.ts';
import type { Raster } from './raster.ts';

/** Long side of the raster that analysis starts from; large enough for hashes and colors. */
const rasterSide = 512;

// Pictures are decoded once and several at a time: a cache of operations would never be hit, and
// threads inside one decoding would only compete with those of the next.
sharp.cache(false);
sharp.concurrency(1);

/** Facts from the bytes of a picture. */
export type ImageFacts = Readonly<{
  /** Size in pixels after its EXIF orientation is applied. */
  width: number;
  height: number;
  format: ImageFormat;
  byteSize: number;
  /** SHA-256 of the file, hexadecimal. */
  checksum: string;
  /** ThumbHash in base64. */
  placeholder: string;
}>;

/** A fully decoded picture: its facts and its pixels, the longer side at most as requested. */
export type Decoded = Readonly<{ facts: ImageFacts; raster: Raster }>;

/**
 * Decodes a picture completely, so that a truncated or broken one is detected here and not by a later reader. Its pixels are
 * upright and in sRGB. The only reliable way to stop a decoder is to end its process, so that is how its time is limited
 * (process/process.ts).
 *
 * @throws ElementError `unsupported_media`, `too_large` or `decode_failed`.
 */
export async function decodeRaster(bytes: Buffer, longSide: number): Promise<Decoded> {
  const format = checkFile(bytes);
  try {
    const { file, sized } = await toDecodable(bytes, format);
    const image = sharp(file, { limitInputPixels: maxPixels, failOn: 'error' });
    if (mayBeRotated(bytes, format)) image.autoOrient();
    const { data, info } = await image
      .resize(longSide, longSide, { fit: 'inside', withoutEnlargement: true, fastShrinkOnLoad: true })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    // A picture smaller than the raster keeps its size; the header is read only for a larger one.
    const isWhole = file === sized && Math.max(info.width, info.height) < longSide;
    const { width, height } = isWhole ? info : (await sharp(sized).metadata()).autoOrient;
    const checksum = hash('sha256', bytes, 'hex');
    const raster = { data, width: info.width, height: info.height, channels: info.channels === 4 ? 4 : 3 } as const;
    return {
      facts: { width, height, format, byteSize: bytes.length, checksum, placeholder: placeholderOf(raster) },
      raster,
    };
  } catch (error) {
    throw toElementError(error, format);
  }
}

/** The format of the bytes. @throws ElementError `unsupported_media`, or `decode_failed` if there are none. */
function sniffOrRefuse(bytes: Buffer): ImageFormat {
  if (bytes.length === 0) throw new ElementError('decode_failed', 'the source is empty');
  const format = sniffFormat(bytes);
  if (format !== null) return format;
  throw new ElementError('unsupported_media', 'the source is not JPEG, PNG, WebP, GIF, TIFF, AVIF or HEIC');
}

/**
 * Checks that the bytes may be passed to a decoder, and returns their format.
 *
 * @throws ElementError `unsupported_media`, `decode_failed` or `too_large`.
 */
export function checkFile(bytes: Buffer): ImageFormat {
  const format = sniffOrRefuse(bytes);
  checkParts(bytes, format);
  checkSides(bytes, format);
  checkPixels(bytes, format);
  return format;
}

const exifHeader = Buffer.from('Exif\0\0', 'latin1');

/**
 * Whether the file may state that its picture must be rotated. A JPEG states it only in EXIF, which most small ones lack;
 * being prepared to rotate one costs an eighth of decoding it.
 */
function mayBeRotated(bytes: Buffer, format: ImageFormat): boolean {
  return format !== 'jpeg' || bytes.includes(exifHeader);
}

/**
 * The pixels from which signatures are computed.
 *
 * @throws ElementError like `decodeRaster`.
 */
export async function readRaster(bytes: Buffer): Promise<Raster> {
  return (await decodeRaster(bytes, rasterSide)).raster;
}

/** Converts a decoder's error to one for the caller. */
export function toElementError(error: unknown, format: ImageFormat): ElementError {
  if (error instanceof ElementError) return error;
  const reason = String((error as Error).message).split('\n')[0] ?? '';
  if (/exceeds pixel limit|too large|dimensions?.*limit/i.test(reason)) {
    return tooManyPixels();
  }
  if (format === 'heic') return new ElementError('unsupported_media', 'this HEIC picture cannot be decoded here');
  return new ElementError('decode_failed', `the ${format.toUpperCase()} file is damaged: ${inPlainWords(reason)}`);
}

/** Patterns in decoder messages about damaged files, and what they mean. */
const damages: readonly Readonly<{ said: RegExp; means: string }>[] = [
  {
    said: /premature end|unexpected end|truncat|end of (?:file|stream|data)|not enough|EOF|too short/i,
    means: 'it is cut off',
  },
  { said: /^unknown error$/i, means: 'its data cannot be decoded' },
  { said: /out of memory|insufficient memory/i, means: 'it does not fit into memory' },
  {
    said: /CRC|checksum|corrupt|invalid|bad |bogus|unsupported marker|Huffman|LZW|zlib|inflate/i,
    means: 'its data is corrupt',
  },
];

/**
 * Translates a decoder's message into plain words; an unknown one is kept without paths and the decoder's internal names.
 */
function inPlainWords(reason: string): string {
  const known = damages.find(({ said }) => said.test(reason));
  return known?.means ?? withoutPaths(reason).replace(/^(?:Vips\w+|vips\w+|Input \w+)[: ]+/i, '');
}

/** A decoder's message may name files of this machine; callers must not see them. */
function withoutPaths(reason: string): string {
  return reason.replace(/(?:\/[\w.-]+){2,}/g, '…').slice(0, 200);
}

/** Shrinks a picture to a longer side of at most `longSide`; every pixel counts. */
export async function shrinkRaster(raster: Raster, longSide: number): Promise<Raster> {
  const { data, width, height, channels } = raster;
  if (Math.max(width, height) <= longSide) return raster;
  const shrunk = await sharp(data, { raw: { width, height, channels } })
    .resize(longSide, longSide, { fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: shrunk.data, width: shrunk.info.width, height: shrunk.info.height, channels };
}
