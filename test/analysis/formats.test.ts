import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sniffFormat } from '../../src/analysis/formats.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

/** The first box of a HEIF file: its size, `ftyp`, the major brand, a version and the compatible brands. */
function ftyp(
  major: string,
  compatible: readonly string[],
  { size, version = '\0\0\0\0' } = {} as FtypOptions,
): Buffer {
  const body = bytes(`ftyp${major}${version}${compatible.join('')}`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(size ?? body.length + 4);
  return Buffer.concat([length, body]);
}
type FtypOptions = Readonly<{ size?: number; version?: string }>;

describe('sniffFormat', () => {
  it.each([
    ['JFIF', 'jpeg', '\xff\xd8\xff\xe0\0\x10JFIF\0'],
    ['EXIF', 'jpeg', '\xff\xd8\xff\xe1'],
    ['JPEG without an application segment', 'jpeg', '\xff\xd8\xff\xdb'],
    ['PNG', 'png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
    ['GIF of 1987', 'gif', 'GIF87a\x01\0\x01\0'],
    ['GIF of 1989', 'gif', 'GIF89a\x01\0\x01\0'],
    ['WebP', 'webp', 'RIFF\x24\0\0\0WEBPVP8 '],
    ['TIFF, least byte first', 'tiff', 'II*\0\x08\0\0\0'],
    ['TIFF, greatest byte first', 'tiff', 'MM\0*\0\0\0\x08'],
    ['BigTIFF, least byte first', 'tiff', 'II+\0\x08\0\0\0'],
    ['BigTIFF, greatest byte first', 'tiff', 'MM\0+\0\x08\0\0'],
  ])('knows %s as %s', (_what, format, text) => {
    expect(sniffFormat(bytes(text))).toBe(format);
  });

  it.each([
    ['avif', 'avif', ['mif1', 'avif', 'miaf']],
    ['avif', 'avis', ['msf1', 'avis']],
    ['avif', 'mif1', ['mif1', 'miaf', 'avif']],
    ['avif', 'mif1', ['heic', 'avif']],
    ['heic', 'heic', ['mif1', 'heic']],
    ['heic', 'heix', []],
    ['heic', 'hevc', ['msf1', 'hevc']],
    ['heic', 'mif1', ['miaf', 'heic']],
    ['heic', 'mif1', []],
  ])('knows %s by the brand %s with %j', (format, major, compatible) => {
    expect(sniffFormat(ftyp(major, compatible))).toBe(format);
  });

  it.each([
    ['MP4', ftyp('isom', ['isom', 'iso2', 'avc1', 'mp41'])],
    ['QuickTime', ftyp('qt  ', ['qt  '])],
    ['Canon raw', ftyp('crx ', ['crx ', 'isom'])],
    ['a version that spells a brand', ftyp('isom', [], { version: 'avif' })],
    ['a brand behind the end of its box', ftyp('isom', ['isom', 'avif'], { size: 20 })],
    [
      'a brand far inside an endless box',
      ftyp('isom', [...Array<string>(70).fill('isom'), 'avif'], { size: 0xffffffff }),
    ],
    ['a box without brands', bytes('\0\0\0\x08ftyp')],
    ['a box of no size', ftyp('avif', ['avif'], { size: 0 })],
  ])('knows no picture in %s', (_what, file) => {
    expect(sniffFormat(file)).toBeNull();
  });

  it.each([
    ['nothing', ''],
    ['one byte', '\xff'],
    ['half a signature', '\x89PNG'],
    ['PNG whose line ends were changed', '\x89PNG\n\x1a\n\0\0\0\rIHDR'],
    ['GIF of no year', 'GIF88a'],
    ['WAVE', 'RIFF\x24\0\0\0WAVEfmt '],
    ['BMP', 'BM\x36\0\0\0'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['SVG behind an XML declaration', '<?xml version="1.0"?><svg/>'],
    ['PDF', '%PDF-1.7\n'],
    ['HTML', '<!doctype html><img>'],
    ['PSD', '8BPS\0\x01'],
    ['JPEG XL', '\xff\x0a'],
    ['JPEG 2000', '\0\0\0\x0cjP  \r\n\x87\n'],
    ['text', 'JPEG'],
    ['a signature behind a space', ' \xff\xd8\xff\xe0'],
    ['a signature behind a byte order mark', '\xef\xbb\xbfGIF89a'],
  ])('knows no picture in %s', (_what, text) => {
    expect(sniffFormat(bytes(text))).toBeNull();
  });

  it('reads the given view, not the memory around it', () => {
    const memory = Buffer.concat([bytes('GIF89a\0\0'), ftyp('heic', ['mif1']), bytes('avif')]);
    expect(sniffFormat(memory.subarray(8))).toBe('heic');
    expect(sniffFormat(new Uint8Array(memory.subarray(8)))).toBe('heic');
  });

  it('answers any bytes, and alike whatever follows the first 256', () => {
    const start = fc.oneof(
      fc.constantFrom(...['\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'GIF89a', 'RIFF', 'II*\0', '\0\0\0\x1cftyp'].map(bytes)),
      fc.uint8Array({ maxLength: 12 }),
    );
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 300 }), fc.uint8Array(), (first, then, more) => {
        const file = Buffer.concat([first, then]);
        const head = Buffer.concat([file, Buffer.alloc(256)]).subarray(0, 256);
        expect([null, 'jpeg', 'png', 'webp', 'gif', 'tiff', 'avif', 'heic']).toContain(sniffFormat(file));
        expect(sniffFormat(Buffer.concat([head, more]))).toBe(sniffFormat(head));
      }),
    );
  });
});
