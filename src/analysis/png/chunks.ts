import { crc32 } from 'node:zlib';
import { ElementError } from '../../lib/errors.ts';

/** A PNG begins with these bytes. */
export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

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

export type PngChunk = Readonly<{ type: string; data: Buffer }>;

/** The chunks of a PNG after its header, up to its end. @throws ElementError `decode_failed` where one is damaged. */
export function* readChunks(png: Buffer): Generator<PngChunk> {
  for (let at = pngSignature.length; at + 12 <= png.length;) {
    const end = at + 8 + png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    if (end + 4 > png.length) break;
    if (crc32(png.subarray(at + 4, end)) !== png.readUInt32BE(end)) throw damaged('its data is corrupt');
    if (type === 'IEND') return;
    if (type !== 'IHDR') yield { type, data: png.subarray(at + 8, end) };
    at = end + 4;
  }
  throw damaged('it is cut off');
}

/** A chunk in pieces: its data are not copied. */
export function writeChunk({ type, data }: PngChunk): Buffer[] {
  const [start, end] = [Buffer.alloc(8), Buffer.alloc(4)];
  start.writeUInt32BE(data.length);
  start.write(type, 4, 'latin1');
  end.writeUInt32BE(crc32(data, crc32(start.subarray(4))));
  return [start, data, end];
}

/** The refusal of a damaged PNG. */
export function damaged(how: string): ElementError {
  return new ElementError('decode_failed', `the PNG file is damaged: ${how}`);
}
