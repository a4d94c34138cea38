import { ElementError } from '../../lib/errors.ts';
import { isPngChunkIntact, pngChunksOf } from '../../lib/png-chunks.ts';
import type { PngChunk } from '../../lib/png-chunks.ts';

/** The header of a PNG, as in its chunk IHDR. */
export type PngHeader = Readonly<{
  width: number;
  height: number;
  /** Bits of a sample, or of an index into the palette. */
  depth: number;
  colorType: number;
  isInterlaced: boolean;
}>;

/** Samples of a pixel by color type: gray, RGB, index into the palette, gray and alpha, RGBA. */
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Samples of a pixel in the file; those of an unknown color type are taken for the most there are. */
export function samplesOf({ colorType }: PngHeader): number {
  return samples[colorType] ?? 4;
}

/** The header; null where a file is too short to have one. */
export function readPngHeader(png: Buffer): PngHeader | null {
  if (png.length < 29) return null;
  return {
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
    depth: png[24] ?? 0,
    colorType: png[25] ?? 0,
    isInterlaced: png[28] !== 0,
  };
}

/** The chunks of a PNG between its header and its end. @throws ElementError `decode_failed` where one is damaged. */
export function* readChunks(png: Buffer): Generator<PngChunk> {
  for (const chunk of pngChunksOf(png)) {
    if (!isPngChunkIntact(png, chunk)) throw damaged('its data is corrupt');
    if (chunk.type === 'IEND') return;
    if (chunk.type !== 'IHDR') yield chunk;
  }
  throw damaged('it is cut off');
}

/** The refusal of a damaged PNG. */
export function damaged(how: string): ElementError {
  return new ElementError('decode_failed', `the PNG file is damaged: ${how}`);
}
