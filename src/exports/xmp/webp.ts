import { collect } from './container.ts';
import type { Container } from './container.ts';

/** Flags of `VP8X`. */
const hasXmp = 0x04;
const hasAlpha = 0x10;

type Chunk = Readonly<{ type: string; start: number; end: number; data: Buffer }>;

/** WebP: the packet is the last chunk; a file in the simple format is converted to the extended format. */
export const webp: Container = {
  isOf: (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  read: (bytes) => chunksOf(bytes)?.find(({ type }) => type === 'XMP ')?.data ?? null,
  write(bytes, packet) {
    const chunks = chunksOf(bytes);
    const header = chunks === null ? null : extendedHeader(chunks);
    if (chunks === null || header === null) return null;
    const others = chunks.filter(({ type }) => type !== 'VP8X' && type !== 'XMP ');
    const body = [
      ...chunk('VP8X', header),
      ...others.map(({ start, end }) => bytes.subarray(start, end)),
      ...chunk('XMP ', packet),
    ];
    const start = Buffer.from(bytes.subarray(0, 12));
    start.writeUInt32LE(4 + body.reduce((sum, part) => sum + part.length, 0), 4);
    return [start, ...body];
  },
};

/** Builds a chunk, padded to an even length. */
function chunk(type: string, data: Buffer): Buffer[] {
  const header = Buffer.alloc(8);
  header.write(type, 'latin1');
  header.writeUInt32LE(data.length, 4);
  return [header, data, Buffer.alloc(data.length % 2)];
}

/** The header of the extended format: flags, and the size of the picture. */
function extendedHeader([first]: readonly Chunk[]): Buffer | null {
  if (first === undefined) return null;
  const { type, data } = first;
  if (type === 'VP8X') {
    const header = Buffer.from(data);
    header[0] = (header[0] ?? 0) | hasXmp;
    return header;
  }
  const size = type === 'VP8 ' ? lossySize(data) : type === 'VP8L' ? losslessSize(data) : null;
  if (size === null) return null;
  const header = Buffer.alloc(10);
  header[0] = hasXmp | (size.isTransparent ? hasAlpha : 0);
  header.writeUIntLE(size.width - 1, 4, 3);
  header.writeUIntLE(size.height - 1, 7, 3);
  return header;
}

type Size = Readonly<{ width: number; height: number; isTransparent: boolean }>;

function lossySize(data: Buffer): Size | null {
  if (data.length < 10 || data[3] !== 0x9d || data[4] !== 0x01 || data[5] !== 0x2a) return null;
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff, isTransparent: false };
}

function losslessSize(data: Buffer): Size | null {
  if (data.length < 5 || data[0] !== 0x2f) return null;
  const bits = data.readUInt32LE(1);
  return {
    width: (bits & 0x3fff) + 1,
    height: ((bits >>> 14) & 0x3fff) + 1,
    isTransparent: ((bits >>> 28) & 1) === 1,
  };
}

/** All chunks; null if they extend past the end of the file. @throws LargeMetadataError */
function chunksOf(bytes: Buffer): Chunk[] | null {
  const chunks = collect(readChunks(bytes));
  return (chunks.at(-1)?.end ?? 0) > bytes.length ? null : chunks;
}

/** Yields the chunks; the last one may extend past the end of the file. */
function* readChunks(bytes: Buffer): Generator<Chunk> {
  const length = Math.min(bytes.length, 8 + bytes.readUInt32LE(4));
  for (let start = 12; start + 8 <= length;) {
    const size = bytes.readUInt32LE(start + 4);
    const end = start + 8 + size + (size % 2);
    const type = bytes.toString('latin1', start, start + 4);
    yield { type, start, end, data: bytes.subarray(start + 8, start + 8 + size) };
    start = end;
  }
}
