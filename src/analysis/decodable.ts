import type { ImageFormat } from './formats.ts';
import { decodeHeic } from './heif/decode-heic.ts';
import { heifPixels } from './heif/heif-pixels.ts';
import { maxPixels } from './limits.ts';
import { halveInterlaced } from './png/halve.ts';

/** A picture as sharp can decode it within its memory. */
type Decodable = Readonly<{
  /** The file to decode; often the given one. */
  file: Buffer;
  /** The file whose header has the size of the picture. */
  sized: Buffer;
}>;

/**
 * Prepares a file for sharp: large interlaced PNGs are halved, HEIC is decoded.
 *
 * @throws ElementError `decode_failed` or `too_large`; an error of zlib
 */
export async function toDecodable(bytes: Buffer, format: ImageFormat): Promise<Decodable> {
  if (format === 'png') return { file: await halveInterlaced(bytes), sized: bytes };
  if (format !== 'heic') return { file: bytes, sized: bytes };
  const file = (await decodeHeic(bytes, heifPixels(bytes) ?? maxPixels)) ?? bytes;
  return { file, sized: file };
}
