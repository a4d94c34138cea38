import { crc32 } from 'node:zlib';

/** The first bytes of every PNG. */
export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A chunk of a PNG file; `start` and `end` span the whole chunk, including its length and checksum. */
export type PngChunk = Readonly<{ type: string; start: number; end: number; data: Buffer }>;

/** The chunks of a PNG up to `IEND`, or up to the last complete chunk if the file ends early. */
export function* pngChunksOf(png: Buffer): Generator<PngChunk> {
  for (let start = pngSignature.length; start + 12 <= png.length;) {
    const end = start + 12 + png.readUInt32BE(start);
    if (end > png.length) return;
    const type = png.toString('latin1', start + 4, start + 8);
    yield { type, start, end, data: png.subarray(start + 8, end - 4) };
    if (type === 'IEND') return;
    start = end;
  }
}

/** Whether the checksum of a chunk is correct. */
export function isPngChunkIntact(png: Buffer, { start, end }: PngChunk): boolean {
  return crc32(png.subarray(start + 4, end - 4)) === png.readUInt32BE(end - 4);
}

/** Writes a chunk as several buffers, so that its data is not copied. */
export function writePngChunk(type: string, data: Buffer): Buffer[] {
  const [head, sum] = [Buffer.alloc(8), Buffer.alloc(4)];
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  sum.writeUInt32BE(crc32(data, crc32(head.subarray(4))));
  return [head, data, sum];
}
