import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib';
import sharp from 'sharp';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** A small picture of one color. */
export function plain(format: 'jpeg' | 'tiff' | 'avif' | 'webp' | 'gif' | 'png'): Promise<Buffer> {
  return sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
    .toFormat(format)
    .toBuffer();
}

export type PngChunk = readonly [type: string, data: Buffer];

/** A PNG of these chunks. */
export function pngOf(chunks: readonly PngChunk[]): Buffer {
  const all = chunks.map(([type, data]) => {
    const body = Buffer.concat([latin1(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  });
  return Buffer.concat([latin1('\x89PNG\r\n\x1a\n'), ...all]);
}

/** A PNG of one gray bit per pixel, with further chunks, and with bytes behind its last row. */
export function png(width: number, height: number, extra: readonly PngChunk[] = [], surplus = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc(height * (Math.ceil(width / 8) + 1) + surplus));
  const chunks: PngChunk[] = [['IHDR', header], ...extra, ['IDAT', rows], ['IEND', Buffer.alloc(0)]];
  return pngOf(chunks);
}

/** The seven passes of an interlaced PNG: where each begins, and its steps. */
const passes = [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]] as const; // prettier-ignore

/**
 * A black square with 16 bits a channel and transparency, interlaced: a file of 8 bytes for each 1000 pixels that
 * takes 8 bytes of memory for each pixel.
 */
export function heavyPng(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([16, 6, 0, 0, 1], 8);
  const sizes = passes.map(([x, y, dx, dy]) => Math.ceil((side - y) / dy) * (1 + 8 * Math.ceil((side - x) / dx)));
  const rows = deflatedZeros(sizes.reduce((sum, size) => sum + size, 0));
  return pngOf([['IHDR', header], ['IDAT', rows], ['IEND', Buffer.alloc(0)]]); // prettier-ignore
}

/** An interlaced PNG of a square, with the rows of its first pass alone: one pixel in 64. */
export function hugePng(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 6, 0, 0, 1], 8);
  const rows = deflatedZeros((side / 8) * (1 + side / 2));
  return pngOf([['IHDR', header], ['IDAT', rows], ['IEND', Buffer.alloc(0)]]); // prettier-ignore
}

/** So many zeros in the form of zlib, without ever having them all in memory. */
function deflatedZeros(count: number): Buffer {
  const size = 2 ** 20;
  const block = (length: number) =>
    deflateRawSync(Buffer.alloc(length), { finishFlush: constants.Z_FULL_FLUSH, level: 9 });
  const whole = block(size);
  const blocks = [...Array.from({ length: Math.floor(count / size) }, () => whole), block(count % size)];
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(((count % 65_521) * 65_536 + 1) >>> 0);
  return Buffer.concat([Buffer.from([0x78, 0xda]), ...blocks, Buffer.from([3, 0]), sum]);
}

/** A compressed text or profile of PNG that unfolds to `size` bytes. */
export function foldedChunk(type: 'zTXt' | 'iTXt' | 'iCCP', size: number): PngChunk {
  const heads = { zTXt: 'Comment\0\0', iTXt: 'XML:com.adobe.xmp\0\x01\0\0\0', iCCP: 'icc\0\0' };
  return [type, Buffer.concat([latin1(heads[type]), deflateSync(Buffer.alloc(size))])];
}

/** A GIF of one pixel with many frames, each of which may claim to be larger. */
export function gif(frames: number, side = 1): Buffer {
  const frame = latin1(',\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0');
  frame.writeUInt16LE(side, 5);
  frame.writeUInt16LE(side, 7);
  const head = latin1('GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff');
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), latin1(';')]);
}

/** An animated WebP with many frames. */
export async function webp(frames: number): Promise<Buffer> {
  const pages = ['red', 'green'].map(
    (background) => ({ create: { width: 20, height: 10, channels: 3, background } }) as const,
  );
  const pngs = await Promise.all(pages.map((page) => sharp(page).png().toBuffer()));
  const file = await sharp(pngs, { join: { animated: true } })
    .webp()
    .toBuffer();
  const at = file.indexOf('ANMF');
  const size = 8 + file.readUInt32LE(at + 4);
  const frame = file.subarray(at, at + size + (size % 2));
  const whole = Buffer.concat([file.subarray(0, at), ...Array.from({ length: frames }, () => frame)]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}

/** A TIFF of one pixel with many pages; `circle` leads from the last to the first. */
export function tiff(pages: number, { circle = false } = {}): Buffer {
  const size = 2 + 9 * 12 + 4 + 2;
  const directories = Array.from({ length: pages }, (_, index) => {
    const at = 8 + index * size;
    const page = Buffer.alloc(size);
    page.writeUInt16LE(9, 0);
    const tags = { 256: 1, 257: 1, 258: 8, 259: 1, 262: 1, 273: at + size - 2, 277: 1, 278: 1, 279: 1 };
    Object.entries(tags).forEach(([tag, value], place) => {
      page.writeUInt16LE(Number(tag), 2 + place * 12);
      page.writeUInt16LE(4, 4 + place * 12);
      page.writeUInt32LE(1, 6 + place * 12);
      page.writeUInt32LE(value, 10 + place * 12);
    });
    page.writeUInt32LE(index < pages - 1 ? at + size : circle ? 8 : 0, size - 6);
    return page;
  });
  return Buffer.concat([latin1('II*\0\x08\0\0\0'), ...directories]);
}

/** A TIFF whose header claims another size than its pixels have, as numbers of a type: 4 is unsigned, 9 is signed. */
export async function tiffOf(width: number, height: number, type: 4 | 9 = 4): Promise<Buffer> {
  const file = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'teal' } })
    .tiff({ compression: 'lzw' })
    .toBuffer();
  const directory = file.readUInt32LE(4);
  for (let at = directory + 2; at < directory + 2 + file.readUInt16LE(directory) * 12; at += 12) {
    const claim = { 256: width, 257: height }[file.readUInt16LE(at)];
    if (claim === undefined) continue;
    file.writeUInt16LE(type, at + 2);
    file.writeUInt32LE(claim, at + 8);
  }
  return file;
}

/** An AVIF whose header claims another size than its pixels have. */
export async function avifOf(side: number): Promise<Buffer> {
  const file = await plain('avif');
  const at = file.indexOf('ispe');
  file.writeUInt32BE(side, at + 8);
  file.writeUInt32BE(side, at + 12);
  return file;
}

/** A progressive JPEG whose scans come again and again. */
export async function jpeg(repetitions: number, side = 64): Promise<Buffer> {
  const file = await sharp({ create: { width: side, height: side, channels: 3, background: 'teal' } })
    .jpeg({ progressive: true, quality: 10 })
    .toBuffer();
  const first = file.indexOf(Buffer.from([0xff, 0xda]));
  const scans = file.subarray(first, -2);
  return Buffer.concat([
    file.subarray(0, first),
    ...Array.from({ length: repetitions }, () => scans),
    file.subarray(-2),
  ]);
}
