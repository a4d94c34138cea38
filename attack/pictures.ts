// Pictures that are small to send and large to decode, made without an encoder: one would need their whole size.
import { constants, crc32, deflateRawSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Of each pass of Adam7: first column and row, and the steps between them. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
const bytesPerPixel = 8;
const blockBytes = 2 ** 20;

/** A black, transparent PNG of 16 bits a channel, interlaced, so that a decoder needs all of it at once. */
export function interlacedPng(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([16, 6, 0, 0, 1], 8);
  const rawBytes = passes.reduce((sum, [x, y, stepX, stepY]) => {
    const [columns, rows] = [Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)];
    return sum + (columns > 0 && rows > 0 ? rows * (1 + columns * bytesPerPixel) : 0);
  }, 0);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', zlibZeros(rawBytes)), chunk('IEND')]);
}

/** Zeros as a zlib stream: one block that ends on a byte, repeated, and a rest. */
function zlibZeros(length: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(blockBytes), { finishFlush: constants.Z_FULL_FLUSH, level: 9 });
  const rest = deflateRawSync(Buffer.alloc(length % blockBytes), { level: 9 });
  const blocks = Array.from({ length: Math.floor(length / blockBytes) }, () => block);
  const checksum = Buffer.alloc(4);
  // Adler-32 of zeros: the first sum stays 1, the second counts.
  checksum.writeUInt32BE((length % 65_521) * 65_536 + 1);
  return Buffer.concat([Buffer.from([0x78, 0xda]), ...blocks, rest, checksum]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
