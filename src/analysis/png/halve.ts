import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createDeflate, createInflate } from 'node:zlib';
import { pngSignature, writePngChunk } from '../../lib/png-chunks.ts';
import type { PngChunk } from '../../lib/png-chunks.ts';
import { sniffFormat } from '../formats.ts';
import { readChunks, readPngHeader, samplesOf } from './chunks.ts';
import type { PngHeader } from './chunks.ts';
import { lastOfHalf, passes, passRows } from './passes.ts';

/** Decoders hold an interlaced picture in memory as a whole. From this many decoded bytes on, it is halved first. */
const heldBytes = 128 * 2 ** 20;

/** Bytes per pixel in a decoder, which replaces palette indexes by colors. */
export function decodedPixelBytes(header: PngHeader): number {
  return (header.colorType === 3 ? 4 : samplesOf(header)) * (header.depth === 16 ? 2 : 1);
}

/** Whether a PNG is halved before it is decoded. */
export function isHalved(header: PngHeader): boolean {
  const { width, height, isInterlaced } = header;
  return isInterlaced && width * height * decodedPixelBytes(header) >= heldBytes;
}

/**
 * Returns the pixels of even rows and columns of a large interlaced PNG, as a non-interlaced PNG of 8 bits; returns any
 * other file unchanged. Decoding the whole picture would take eight bytes per pixel; the first five of the seven passes of
 * an interlaced PNG are the picture at half its size, and are read row by row. The whole file is checked.
 *
 * @throws ElementError `decode_failed`; an error of zlib
 */
export async function halveInterlaced(file: Buffer): Promise<Buffer> {
  const header = sniffFormat(file) === 'png' ? readPngHeader(file) : null;
  return header !== null && isHalved(header) ? halvePng(file, header) : file;
}

/** Chunks that determine how pixels are shown. Others do not change what is seen, or have values of the original depth. */
const keptChunks: ReadonlySet<string> = new Set([
  'PLTE',
  'tRNS',
  'gAMA',
  'cHRM',
  'sRGB',
  'iCCP',
  'eXIf',
  'tEXt',
  'zTXt',
  'iTXt',
]);

/** Halves an interlaced PNG of any size. @throws like `halveInterlaced` */
export async function halvePng(png: Buffer, header: PngHeader): Promise<Buffer> {
  const chunks = [...readChunks(png)];
  const data = chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data);
  const pieces: Buffer[] = [];
  await pipeline(
    Readable.from(data),
    createInflate(),
    (source: AsyncIterable<Buffer>) => halfRows(source, header),
    // The file is read only once, so more than the fastest level gains little.
    createDeflate({ level: 1 }),
    async (source: AsyncIterable<Buffer>) => {
      for await (const piece of source) pieces.push(piece);
    },
  );
  const kept = chunks.filter(({ type }) => keptChunks.has(type));
  return Buffer.concat([
    pngSignature,
    ...writePngChunk('IHDR', headerData(header)),
    ...kept.flatMap((chunk) => writePngChunk(chunk.type, toEightBits(chunk, header))),
    ...pieces.flatMap((piece) => writePngChunk('IDAT', piece)),
    ...writePngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function headerData({ width, height, colorType }: PngHeader): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(half(width), 0);
  data.writeUInt32BE(half(height), 4);
  data[8] = 8;
  data[9] = colorType;
  return data;
}

/** Converts the transparent color of a picture without alpha, which has two bytes per sample at any depth. */
function toEightBits(chunk: PngChunk, { depth, colorType }: PngHeader): Buffer {
  if (chunk.type !== 'tRNS' || depth === 8 || colorType === 3) return chunk.data;
  const data = Buffer.from(chunk.data);
  for (let at = 0; at + 2 <= data.length; at += 2) {
    const value = data.readUInt16BE(at);
    data.writeUInt16BE(depth === 16 ? value >> 8 : (value * grayStep(depth)) & 255, at);
  }
  return data;
}

/** Difference between adjacent shades of gray of fewer than eight bits, in eight bits. */
function grayStep(depth: number): number {
  return Math.floor(255 / ((1 << depth) - 1));
}

/** Yields the rows of the half picture, each preceded by its filter type, from the data of all passes. */
async function* halfRows(source: AsyncIterable<Buffer>, header: PngHeader): AsyncGenerator<Buffer> {
  const { width, height } = header;
  const samples = samplesOf(header);
  const rowBytes = 1 + half(width) * samples;
  /** The even rows of the half picture, which the passes before its last one produce. */
  const held = Buffer.alloc(rowBytes * half(half(height)));
  const heldRow = (index: number) => held.subarray(index * rowBytes, (index + 1) * rowBytes);
  let given = 0;
  for await (const { pass, row, pixels } of passRows(source, header)) {
    const { x, y, dx, dy } = passes[pass] ?? passes[0];
    if (pass < lastOfHalf) {
      place(pixels, heldRow((y + row * dy) / 4), { header, first: x / 2, step: dx / 2 });
    } else {
      const between = Buffer.alloc(rowBytes);
      place(pixels, between, { header, first: 0, step: 1 });
      yield heldRow(given);
      yield between;
      given += 1;
    }
  }
  for (; given < half(half(height)); given += 1) yield heldRow(given);
}

type Place = Readonly<{ header: PngHeader; first: number; step: number }>;

/** Writes the samples of pixels into a row in 8 bits, the first pixel at `first`, each next one `step` pixels further. */
function place(pixels: Uint8Array, row: Buffer, { header, first, step }: Place): void {
  const { depth } = header;
  const samples = samplesOf(header);
  const count = Math.ceil(((row.length - 1) / samples - first) / step);
  if (depth < 8) return placeParts(pixels, row, { header, first, step }, count);
  const size = depth / 8;
  for (let pixel = 0, from = 0, to = 1 + first * samples; pixel < count; pixel += 1, to += step * samples) {
    for (let sample = 0; sample < samples; sample += 1, from += size) row[to + sample] = pixels[from] ?? 0;
  }
}

/** The same for several pixels per byte, the first in its highest bits: shades of gray, or palette indexes. */
function placeParts(pixels: Uint8Array, row: Buffer, { header, first, step }: Place, count: number): void {
  const { depth, colorType } = header;
  const mask = (1 << depth) - 1;
  const factor = colorType === 3 ? 1 : grayStep(depth);
  for (let pixel = 0; pixel < count; pixel += 1) {
    const bit = pixel * depth;
    const value = ((pixels[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & mask;
    row[1 + first + pixel * step] = value * factor;
  }
}

function half(size: number): number {
  return Math.ceil(size / 2);
}
