import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { checkMemory, decodeCost, isLarge } from '../../src/analysis/decode-cost.ts';
import { decodeMemoryBytes } from '../../src/analysis/limits.ts';
import { openBuiltinAnalyzer } from '../../src/analysis/open-builtin-analyzer.ts';
import { ElementError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { avifOf, gif, heavyPng, jpeg, plain, png, tiffOf } from '../support/hostile-pictures.ts';
import { timed } from '../support/effort.ts';

const MB = 1e6;
const side = 600;
const picture = () => sharp({ create: { width: side, height: side, channels: 3, background: 'teal' } });

describe('what decoding takes is known from the header', () => {
  it.each([
    ['a PNG, row by row', picture().png(), 0],
    ['an interlaced PNG, as a whole', picture().png({ progressive: true, palette: false }), 3],
    ['a JPEG, row by row', picture().jpeg(), 0],
    ['a progressive JPEG, as coefficients', picture().jpeg({ progressive: true, chromaSubsampling: '4:4:4' }), 6],
    ['one of fewer colors', picture().jpeg({ progressive: true, chromaSubsampling: '4:2:0' }), 3],
    ['a GIF, as a whole', picture().gif(), 5],
    ['a lossless WebP, as a whole', picture().webp({ lossless: true }), 4],
    ['a TIFF, by its strips', picture().tiff({ compression: 'deflate' }), 2.6],
    ['a TIFF that is one tile', picture().tiff({ tile: true, tileWidth: 608, tileHeight: 608 }), 6.2],
    ['an AVIF', picture().avif({ effort: 0 }), 18],
  ])('%s', async (_what, file, bytesPerPixel) => {
    const { memoryBytes } = decodeCost(await file.toBuffer());
    expect(memoryBytes / side ** 2).toBeCloseTo(bytesPerPixel, 0);
  });

  it('of 16 bits with transparency, interlaced, eight bytes a pixel and a second for 28 megapixels', () => {
    const { memoryBytes, seconds } = decodeCost(heavyPng(1_000));
    expect(memoryBytes).toBe(8 * MB);
    expect(seconds).toBeCloseTo(0.036);
  });

  it('of a large interlaced PNG that of its half: less for each sample than a byte', () => {
    const { memoryBytes } = decodeCost(heavyPng(10_000));
    expect(memoryBytes).toBe(300 * MB);
  });

  it('so a photograph of 24 megapixels is no large picture, and a bomb of less than a megabyte is one', () => {
    expect(isLarge(decodeCost(png(6_000, 4_000)))).toBe(false);
    const bomb = heavyPng(10_000);
    expect(bomb.length).toBeLessThan(MB);
    expect(isLarge(decodeCost(bomb))).toBe(true);
  });

  it('of a TIFF, whether the numbers of its size have a sign, and by the larger size if it states two', async () => {
    const unsigned = decodeCost(await tiffOf(9_000, 9_000));
    expect(decodeCost(await tiffOf(9_000, 9_000, 9))).toEqual(unsigned);
    const twice = await tiffOf(9_000, 9_000);
    const resolution = twice.indexOf(Buffer.from([27, 1, 5, 0]), twice.readUInt32LE(4));
    twice.set([0, 1, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0], resolution);
    expect(decodeCost(twice)).toEqual(unsigned);
  });

  it('of a GIF by its first frame, which may be larger than its screen', () => {
    expect(decodeCost(gif(1, 5_000)).memoryBytes).toBe(5 * 25 * MB);
    expect(decodeCost(gif(1)).memoryBytes).toBe(5);
  });

  it('of an AVIF by all boxes with sizes, wherever they are', async () => {
    const avif = await avifOf(5_000);
    const known = decodeCost(avif);
    const meta = avif.indexOf('meta') - 4;
    const free = Buffer.alloc(70_000);
    free.writeUInt32BE(free.length);
    free.write('free\0\0\0\x10ispe', 4, 'latin1');
    expect(decodeCost(Buffer.concat([avif.subarray(0, meta), free, avif.subarray(meta)]))).toEqual(known);
    const small = (await avifOf(8)).subarray(meta, avif.indexOf('mdat') - 4);
    expect(decodeCost(Buffer.concat([avif.subarray(0, meta), small, avif.subarray(meta)]))).toEqual(known);
  });

  it('of an AVIF with more boxes than are read that of the largest', async () => {
    const avif = await avifOf(8);
    const meta = avif.indexOf('meta') - 4;
    const boxes = Buffer.from('\0\0\0\x08free'.repeat(2_000), 'latin1');
    const { memoryBytes } = decodeCost(Buffer.concat([avif.subarray(0, meta), boxes, avif.subarray(meta)]));
    expect(memoryBytes).toBe(18 * 100 * MB);
  });

  it('of a header that says nothing it is taken for much', async () => {
    const noEnd = Buffer.concat([(await plain('jpeg')).subarray(0, 2), Buffer.from('\xff\xe1\0\x02'.repeat(5_000), 'latin1')]); // prettier-ignore
    expect(isLarge(decodeCost(noEnd))).toBe(true);
  });

  it('in no time, whatever the file', timed, async () => {
    const files = [Buffer.alloc(0), Buffer.from([0xff, 0xd8, 0xff]), gif(3), await jpeg(3), await tiffOf(9, 9)];
    for (const file of [...files, Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(50 * MB, 0xff)])]) {
      const began = performance.now();
      decodeCost(file);
      expect(performance.now() - began).toBeLessThan(50);
    }
  });
});

describe('a picture that takes more memory than is given to one', () => {
  it('is refused by its header, and the refusal says what would help', async () => {
    const cost = decodeCost(await avifOf(9_000));
    expect(() => checkMemory(cost, decodeMemoryBytes)).toThrow(
      new ElementError(
        'too_large',
        'decoding the picture takes 1391 MiB of memory, more than 640: save it as a baseline JPEG, or smaller',
      ),
    );
  });

  it('is refused where the operator gives less, before a process is started for it', async () => {
    const program = join(tmpdir(), 'there-is-no-such-program.js');
    const logger = createLogger('silent');
    const analyzer = openBuiltinAnalyzer({ threads: 1, decodeMemory: 64 * 2 ** 20, logger }, program);
    const asked = analyzer.analyze({ bytes: heavyPng(4_000), want: [] });
    await expect(asked).rejects.toMatchObject({ code: 'too_large', message: expect.stringMatching('more than 64:') });
    await analyzer.close();
  });
});
