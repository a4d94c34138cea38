import { ElementError } from '../../lib/errors.ts';
import { isPngChunkIntact, pngChunksOf } from '../../lib/png-chunks.ts';
import type { PngChunk } from '../../lib/png-chunks.ts';

/** The header of a PNG, as in its IHDR chunk. */
export type PngHeader = Readonly<{
  width: number;
  height: number;
  /** Bits of a sample, or of a palette index. */
  depth: number;
  colorType: number;
  isInterlaced: boolean;
}>;

/** Samples per pixel by color type: gray, RGB, palette index, gray and alpha, RGBA. */
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Samples per pixel in the file; an unknown color type counts as the maximum. */
export function samplesOf({ colorType }: PngHeader): number {
  return samples[colorType] ?? 4;
}

/** Reads the header; null for a file that does not start with one: it is broken, which the decoder reports. */
export function readPngHeader(png: Buffer): PngHeader | null {
  if (png.length < 29 || png.toString('latin1', 12, 16) !== 'IHDR') return null;
  return {
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
    depth: png[24] ?? 0,
    colorType: png[25] ?? 0,
    isInterlaced: png[28] !== 0,
  };
}

/** Yields the chunks of a PNG between header and end. @throws ElementError `decode_failed` if damaged or cut off. */
export function* readChunks(png: Buffer): Generator<PngChunk> {
  for (const chunk of pngChunksOf(png)) {
    if (!isPngChunkIntact(png, chunk)) throw damaged('its data is corrupt');
    if (chunk.type === 'IEND') return;
    if (chunk.type !== 'IHDR') yield chunk;
  }
  throw damaged('it is cut off');
}

/** Creates the error for a damaged PNG. */
export function damaged(how: string): ElementError {
  return new ElementError('decode_failed', `the PNG file is damaged: ${how}`);
}
