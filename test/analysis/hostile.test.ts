import { describe, expect, it } from 'vitest';
import { ElementError } from '../../src/lib/errors.ts';
import { convertImage, decodeImage } from '../support/decode-image.ts';
import type { BuiltinAnalyzer } from '../../src/analysis/index.ts';
import type { ModelPicture, Provider } from '../../src/analysis/providers/provider.ts';
import { createImageAnalyzer } from '../../src/analysis/image-analyzer.ts';
import {
  avifOf,
  foldedChunk,
  gif,
  hugePng,
  jpeg,
  plain,
  png,
  tiff,
  tiffOf,
  webp,
} from '../support/hostile-pictures.ts';
import { firstOf, full } from '../support/effort.ts';

const MiB = 2 ** 20;

type Outcome = Readonly<{ answer: object; ms: number; mib: number }>;

/** What decoding comes to, how long it took and by how much the process grew meanwhile. */
async function decode(bytes: Buffer): Promise<Outcome> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  const started = performance.now();
  const answer = await decodeImage(bytes).catch((error: unknown) => {
    if (!(error instanceof ElementError)) throw error;
    return { code: error.code, message: error.message };
  });
  clearInterval(watch);
  return { answer, ms: performance.now() - started, mib: (peak - before) / MiB };
}

/** The same, where it is quick and takes little memory: far less than any of these files would like. */
async function quick(bytes: Buffer): Promise<object> {
  const { answer, ms, mib } = await decode(bytes);
  expect(ms).toBeLessThan(5_000);
  expect(mib).toBeLessThan(300);
  return answer;
}

const tooLarge = (message: string) => ({ code: 'too_large', message });
const tooManyPixels = tooLarge('the picture has more than 100 megapixels');

describe('a picture of too many parts is refused before the decoder sees it', () => {
  it.each([
    ['frames of WebP', () => webp(200_000), 'the picture has more than 5000 frames'],
    ['pages of TIFF', () => tiff(100_000), 'the picture has more than 5000 pages'],
    ['frames of GIF', () => gif(1_000_000), 'the picture has more than 100000 blocks'],
    ['scans of JPEG', () => jpeg(11), 'the picture has more than 100 scans'],
    ['scans of a large JPEG', () => jpeg(40, 6_000), 'the picture has more than 100 scans'],
  ])('such as %s', async (_what, make, message) => {
    expect(await quick(await make())).toEqual(tooLarge(message));
  });

  it.each([
    ['4000 frames of WebP', () => webp(4_000), { format: 'webp', width: 20, height: 10 }],
    ['5000 pages of TIFF', () => tiff(5_000), { format: 'tiff', width: 1, height: 1 }],
    ['20 000 frames of GIF', () => gif(20_000), { format: 'gif', width: 1, height: 1 }],
    ['a progressive JPEG', () => jpeg(1), { format: 'jpeg', width: 64, height: 64 }],
  ])('but not %s', async (_what, make, facts) => {
    expect(await quick(await make())).toMatchObject(facts);
  });

  it('but not a TIFF whose pages go in a circle: it has as many as there are', async () => {
    expect(await quick(tiff(3, { circle: true }))).toMatchObject({ width: 1, height: 1 });
  });

  it('and what follows the end of a JPEG is none of its scans', async () => {
    const bytes = Buffer.concat([await plain('jpeg'), Buffer.from('\xff\xda\0\x08'.repeat(500), 'latin1')]);
    expect(await quick(bytes)).toMatchObject({ format: 'jpeg', width: 64 });
  });
});

describe('a picture that claims to be huge', () => {
  it.each([
    ['PNG', () => png(10_001, 10_000)],
    ['interlaced PNG, which would take its half in memory', () => hugePng(60_000)],
    ['TIFF', () => tiffOf(20_000, 20_000)],
    ['GIF', () => gif(1, 20_000)],
    ['AVIF', () => avifOf(20_000)],
    ['AVIF that is too large for any', () => avifOf(0x7fffffff)],
  ])('%s is refused by its header', async (_what, make) => {
    expect(await quick(await make())).toEqual(tooManyPixels);
  });

  it('TIFF that is wider than its rows is broken', async () => {
    expect(await quick(await tiffOf(60_000, 20))).toMatchObject({ code: 'decode_failed' });
  });
});

describe('a picture with a side beyond all pictures', () => {
  const tooLong = tooLarge('the picture has a side of more than 100000 pixels');

  it.each([
    ['PNG of ten million by ten, which would take gigabytes', () => png(9_999_999, 10)],
    ['PNG of one column', () => png(1, 100_001)],
    ['TIFF that is too wide for any', () => tiffOf(0x7fffffff, 20)],
    ['TIFF that is too high for any', () => tiffOf(40, 0xffffffff)],
    ['TIFF that is a little too wide', () => tiffOf(100_001, 20)],
    ['TIFF that is too wide as a signed number', () => tiffOf(100_001, 20, 9)],
  ])('such as a %s is refused by its header', async (_what, make) => {
    expect(await quick(await make())).toEqual(tooLong);
  });

  it('but not a line of a hundred thousand pixels', async () => {
    expect(await quick(png(1, 100_000))).toMatchObject({ width: 1, height: 100_000 });
    expect(await quick(png(100_000, 1))).toMatchObject({ width: 100_000, height: 1 });
  });

  it('nor one whose header ends before its sides: that is broken', async () => {
    expect(await quick(png(10, 10).subarray(0, 20))).toMatchObject({ code: 'decode_failed' });
    expect(await quick((await tiffOf(40, 20)).subarray(0, 9))).toMatchObject({ code: 'decode_failed' });
  });
});

describe('a PNG with more in it than a picture', () => {
  it.each(firstOf(1, ['zTXt', 'iTXt', 'iCCP'] as const))(
    'is read without unfolding 500 MB of %s',
    full,
    async (type) => {
      expect(await quick(png(10, 10, [foldedChunk(type, 500_000_000)]))).toMatchObject({ width: 10, height: 10 });
    },
  );

  it('is read up to its last row, not the 500 MB behind it', full, async () => {
    expect(await quick(png(10, 10, [], 500_000_000))).toMatchObject({ width: 10, height: 10 });
  });

  it('is read past 100 000 comments', async () => {
    const comments = Array.from({ length: 100_000 }, (_, i) => ['tEXt', Buffer.from(`k${i}\0v`)] as const);
    expect(await quick(png(10, 10, comments))).toMatchObject({ width: 10, height: 10 });
  });
});

describe('a file that is two things at once', () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/>' +
    '<image href="http://127.0.0.1/"/></svg>';

  it.each([
    ['PNG', '\x89PNG\r\n\x1a\n', 'decode_failed'],
    ['WebP', 'RIFF\x24\0\0\0WEBP', 'decode_failed'],
    ['GIF', 'GIF89a', 'decode_failed'],
    ['BigTIFF', 'II+\0', 'decode_failed'],
    ['AVIF', '\0\0\0\x18ftypavif\0\0\0\0avifmif1', 'decode_failed'],
    ['HEIC', '\0\0\0\x18ftypheic\0\0\0\0heicmif1', 'decode_failed'],
    ['nothing else', '', 'unsupported_media'],
    ['XML', '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>', 'unsupported_media'],
    ['text', '\n\n<!-- GIF89a -->', 'unsupported_media'],
  ])('is not drawn as the SVG that begins like %s', async (_what, start, code) => {
    expect(await quick(Buffer.from(start + svg, 'latin1'))).toMatchObject({ code });
  });

  it('is not drawn as an SVG of 16-bit characters either', async () => {
    expect(await quick(Buffer.from(`\ufeff${svg}`, 'utf16le'))).toMatchObject({ code: 'unsupported_media' });
  });

  it('is the picture where it begins as one and ends as an archive, a page or a film', async () => {
    for (const tail of ['PK\x03\x04', '<html><script>alert(1)</script>', '\0\0\0\x18ftypmp42']) {
      const bytes = Buffer.concat([await plain('jpeg'), Buffer.from(tail.repeat(100), 'latin1')]);
      expect(await quick(bytes)).toMatchObject({ format: 'jpeg', width: 64, height: 64, byteSize: bytes.length });
    }
  });

  it('is broken where it is a script that begins like a GIF', async () => {
    expect(await quick(Buffer.from('GIF89a/*\x01\0\x00*/=alert(1);', 'latin1'))).toMatchObject({
      code: 'decode_failed',
    });
  });
});

describe('a model of a provider', () => {
  const asked: ModelPicture[] = [];
  const provider = {
    models: {
      caption: {
        name: 'own/model',
        version: '1',
        run: async (picture: ModelPicture) => {
          asked.push(picture);
          return { en: 'A picture' };
        },
      },
    },
    embedText: null,
    costs: () => ({}),
  } as unknown as Provider;
  const builtinAnalyzer: BuiltinAnalyzer = {
    analyze: async (request) => ({
      image: await decodeImage('bytes' in request ? request.bytes : Buffer.alloc(0)),
      outcomes: {},
      warnings: [],
    }),
    convert: convertImage,
    close: async () => {},
  };
  const imageAnalyzer = createImageAnalyzer({ builtinAnalyzer, builtin: {}, providers: [provider] });

  it.each([
    ['a drawing that names files', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['a picture of too many parts', () => webp(200_000)],
    ['a picture with a side beyond all pictures', () => png(9_999_999, 10)],
  ])('is given nothing of %s', async (_what, make) => {
    const bytes = await make();
    await expect(imageAnalyzer.analyze({ bytes, want: ['caption'] })).rejects.toBeInstanceOf(ElementError);
    expect(asked).toEqual([]);
  });

  it('is given an ordinary picture', async () => {
    await imageAnalyzer.analyze({ bytes: await plain('jpeg'), want: ['caption'] });
    expect(asked).toMatchObject([{ width: 64, height: 64 }]);
  });
});
