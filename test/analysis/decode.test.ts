import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { ElementError } from '../../src/lib/errors.ts';
import type { ElementErrorCode } from '../../src/lib/errors.ts';
import { maxPixels } from '../../src/analysis/limits.ts';
import { decodeImage } from '../support/decode-image.ts';
import { corpusFolder, noCorpus, readManifest } from '../support/corpus.ts';
import type { Manifest, PictureFile } from '../support/corpus.ts';
import { firstOf } from '../support/effort.ts';

const formats = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const;

/** A picture with something to see, so that no coder can make it tiny. */
function picture(width: number, height: number): Sharp {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  return sharp({ create: { width, height, channels: 3, background: 'teal', noise } });
}

/** A PNG of one bit per pixel with all its rows, or with fewer. */
function bitmap(width: number, height: number, rows = height): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const data = deflateSync(Buffer.alloc(rows * (Math.ceil(width / 8) + 1)));
  const chunks = [chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

/** The fault of a picture as a client gets to see it; anything but a fault of the element fails the test. */
async function faultOf(bytes: Buffer): Promise<{ code: string; message: string }> {
  const error = await decodeImage(bytes).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ElementError)) throw error ?? new Error('there was no fault');
  return { code: error.code, message: error.message };
}

describe('a picture', () => {
  it.each(formats)('of %s gives its size, format, length and checksum', async (format) => {
    const bytes = await picture(61, 43).toFormat(format).toBuffer();
    expect(await decodeImage(bytes)).toEqual({
      width: 61,
      height: 43,
      format,
      byteSize: bytes.length,
      checksum: createHash('sha256').update(bytes).digest('hex'),
      placeholder: expect.any(String),
    });
  });

  it.each([
    [1, 60, 40],
    [2, 60, 40],
    [3, 60, 40],
    [4, 60, 40],
    [5, 40, 60],
    [6, 40, 60],
    [7, 40, 60],
    [8, 40, 60],
  ])('with EXIF orientation %i is measured upright: %i × %i', async (orientation, width, height) => {
    for (const format of ['jpeg', 'webp', 'tiff', 'png'] as const) {
      const bytes = await picture(60, 40).toFormat(format).withMetadata({ orientation }).toBuffer();
      expect(await decodeImage(bytes)).toMatchObject({ width, height, format });
    }
  });

  it.each(
    firstOf(7, [
      [511, 9],
      [512, 9],
      [513, 9],
      [9, 512],
      [1, 513],
      [1023, 767],
      [1025, 512],
      [3001, 1999],
    ]),
  )('of %i × %i is measured exactly, upright and turned', async (width, height) => {
    const bytes = await picture(width, height).jpeg().toBuffer();
    const turned = await sharp(bytes).withMetadata({ orientation: 6 }).toBuffer();
    expect(await decodeImage(bytes)).toMatchObject({ width, height });
    expect(await decodeImage(turned)).toMatchObject({ width: height, height: width });
  });

  it('may be one of a series: the first one counts', async () => {
    const pages = await Promise.all(['red', 'green', 'blue'].map((background) => frame(background)));
    for (const format of ['gif', 'webp'] as const) {
      const bytes = await sharp(pages, { join: { animated: true } })
        .toFormat(format)
        .toBuffer();
      expect((await sharp(bytes).metadata()).pages).toBe(3);
      expect(await decodeImage(bytes)).toMatchObject({ width: 20, height: 10, format });
    }
  });

  it.each([
    ['grey', () => picture(20, 10).toColourspace('b-w').png()],
    ['gray with transparency', () => picture(20, 10).ensureAlpha(0.5).toColourspace('b-w').png()],
    ['of a palette', () => picture(20, 10).png({ palette: true })],
    ['of 16 bits', () => picture(20, 10).toColourspace('rgb16').png()],
    ['of four printing inks', () => picture(20, 10).toColourspace('cmyk').jpeg()],
    ['interlaced', () => picture(20, 10).png({ progressive: true })],
    ['progressive', () => picture(20, 10).jpeg({ progressive: true })],
    ['lossless', () => picture(20, 10).webp({ lossless: true })],
  ])('may be %s', async (_what, make) => {
    expect(await decodeImage(await make().toBuffer())).toMatchObject({ width: 20, height: 10 });
  });

  it('may be one pixel, or a line of 65 000', async () => {
    expect(await decodeImage(bitmap(1, 1))).toMatchObject({ width: 1, height: 1 });
    expect(await decodeImage(bitmap(65_000, 1))).toMatchObject({ width: 65_000, height: 1 });
    expect(await decodeImage(bitmap(1, 65_000))).toMatchObject({ width: 1, height: 65_000 });
  });

  it('may have bytes behind its end', async () => {
    const bytes = Buffer.concat([await picture(20, 10).jpeg().toBuffer(), Buffer.from('<script>')]);
    expect(await decodeImage(bytes)).toMatchObject({ width: 20, height: 10, byteSize: bytes.length });
  });
});

function frame(background: string): Promise<Buffer> {
  return sharp({ create: { width: 20, height: 10, channels: 3, background } })
    .png()
    .toBuffer();
}

describe('a picture of too many pixels', () => {
  const tooLarge = { code: 'too_large', message: 'the picture has more than 100 megapixels' };

  it('has more than 100 million', async () => {
    expect(maxPixels).toBe(100_000_000);
    expect(await decodeImage(bitmap(10_000, 10_000))).toMatchObject({ width: 10_000, height: 10_000 });
    expect(await faultOf(bitmap(10_001, 10_000, 1))).toEqual(tooLarge);
  });

  it('is refused by what its header claims, whatever its format', async () => {
    const jpeg = await picture(20, 10).jpeg().toBuffer();
    jpeg.writeUInt32BE(0xffdcffdc, jpeg.indexOf(Buffer.from([0xff, 0xc0])) + 5);
    const webp = await picture(20, 10).webp({ lossless: true }).toBuffer();
    webp.writeUInt32LE(0x0fffbffe, 21); // 16 383 × 16 383, the most that WebP can say
    const gif = await picture(20, 10).gif().toBuffer();
    gif.writeUInt32LE(0xffffffff, 6); // The screen, and below the first frame on it.
    gif.writeUInt32LE(0xffffffff, gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, 20, 0, 10, 0])) + 5);
    for (const bytes of [jpeg, webp, gif]) expect(await faultOf(bytes)).toEqual(tooLarge);
  });
});

describe('a file that is no whole picture', () => {
  it('may be empty', async () => {
    expect(await faultOf(Buffer.alloc(0))).toEqual({ code: 'decode_failed', message: 'the source is empty' });
  });

  it.each([
    ['text', 'hello'],
    ['SVG, which could name other files', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    ['PDF', '%PDF-1.7\n%âãÏÓ\n'],
    ['HTML', '<!doctype html><title>x</title>'],
    ['BMP', 'BM6\0\0\0\0\0\0\0'],
  ])('may be %s, which is not supported', async (_what, text) => {
    expect(await faultOf(Buffer.from(text))).toEqual({
      code: 'unsupported_media',
      message: 'the source is not JPEG, PNG, WebP, GIF, TIFF, AVIF or HEIC',
    });
  });

  it.each(formats)('is a %s that was cut off', async (format) => {
    const bytes = await picture(format === 'avif' ? 60 : 600, 40)
      .toFormat(format)
      .toBuffer();
    for (const part of [0.99, 0.9, 0.5, 0.1]) {
      expect(await faultOf(bytes.subarray(0, bytes.length * part))).toEqual({
        code: 'decode_failed',
        message: expect.stringMatching(`^the ${format.toUpperCase()} file is damaged: .+`) as string,
      });
    }
  });

  it('is a PNG that ends before its last row', async () => {
    expect((await faultOf(bitmap(3000, 3000, 2999))).code).toBe('decode_failed');
  });

  it('is a picture without an extent', async () => {
    expect((await faultOf(bitmap(0, 0))).code).toBe('decode_failed');
  });

  it.each([
    ['GIF', 'GIF89a<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    ['JPEG', '\xff\xd8\xff<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    ['TIFF', 'II*\0<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
  ])('is an SVG that begins like a %s: it is not drawn', async (_what, text) => {
    expect((await faultOf(Buffer.from(text, 'latin1'))).code).toBe('decode_failed');
  });

  it('is answered with facts or one fault, whatever bytes were changed, and the fault names no file', async () => {
    const whole = await Promise.all(formats.map((format) => picture(24, 16).toFormat(format).toBuffer()));
    const change = fc.record({ at: fc.nat(), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...whole), fc.array(change, { minLength: 1 }), async (bytes, changes) => {
        const file = Buffer.from(bytes);
        for (const { at, byte } of changes) file[at % file.length] = byte;
        const answer = await decodeImage(file).catch((error: unknown) => error);
        const text = answer instanceof ElementError ? `${answer.code} ${answer.message}` : JSON.stringify(answer);
        expect(text).toMatch(/^(\{"width":\d+,.*\}|(decode_failed|unsupported_media|too_large) .+)$/);
        expect(text).not.toMatch(/[\s'"(]\/\w/);
      }),
      { numRuns: 150 },
    );
  });
});

const rejections: Readonly<Record<string, ElementErrorCode>> = {
  'bad/truncated.jpg': 'decode_failed',
  'bad/empty.jpg': 'decode_failed',
  'bad/text.jpg': 'unsupported_media',
  'bad/bad-crc.png': 'decode_failed',
  'bad/bomb-8bit.png': 'too_large',
  'bad/bomb-1bit.png': 'too_large',
  'bad/liar-header.png': 'too_large',
  'bad/external-entity.svg': 'unsupported_media',
  'bad/file-reference.svg': 'unsupported_media',
  'bad/entity-expansion.svg': 'unsupported_media',
  'bad/heic-header-only.heic': 'decode_failed',
  'bad/plain.bmp': 'unsupported_media',
};

/** What the manifest says of each picture besides. */
type PictureRow = PictureFile & Readonly<{ bytes: number; sha256: string }>;

const manifest: Partial<Manifest> = noCorpus ? {} : readManifest();
const readFile = (file: string) => readFileSync(join(corpusFolder, file));

describe.skipIf(noCorpus)('a bad or unusual picture of the corpus', () => {
  it.each((manifest.bad ?? []).filter(({ file }) => file in rejections))('$file is refused', async (row) => {
    expect([row.expected, row.also_ok]).toContainEqual(expect.stringMatching(/^reject: /));
    expect((await faultOf(readFile(row.file))).code).toBe(rejections[row.file]);
  });

  it.each((manifest.bad ?? []).filter(({ file }) => !(file in rejections)))('$file is $expected', async (row) => {
    const [, width, height] = /^accept: (\d+) x (\d+)$/.exec(row.expected) ?? [];
    expect(await decodeImage(readFile(row.file))).toMatchObject({ width: Number(width), height: Number(height) });
  });
});

describe.skipIf(noCorpus)('a good picture of the corpus', () => {
  it.each(firstOf(6, ['originals', 'text', 'colors', 'metadata', 'faces', 'pdq_reference', 'variants'] as const))(
    'in %s has the size, the length and the checksum that the manifest says, upright',
    async (list) => {
      const rows = (manifest as Partial<Record<typeof list, PictureRow[]>>)[list] ?? [];
      expect(rows.length).toBeGreaterThan(0);
      for (const { file, width, height, bytes, sha256, transform = '' } of rows) {
        const isTurned = /^exif_orientation_[5-8]$/.test(transform);
        const upright = isTurned ? { width: height, height: width } : { width, height };
        const facts = await decodeImage(readFile(file));
        expect({ file, ...facts }).toEqual({
          file,
          ...upright,
          format: facts.format,
          byteSize: bytes,
          checksum: sha256,
          placeholder: facts.placeholder,
        });
      }
    },
  );
});

describe.skipIf(noCorpus)('a film of the corpus', () => {
  it('is no picture', async () => {
    for (const file of ['pan-lake.mp4', 'pan-cups.mov', 'pan-hills.mkv', 'pan-flower.webm', 'fake.mp4']) {
      expect((await faultOf(readFile(`video/${file}`))).code).toBe('unsupported_media');
    }
  });
});
