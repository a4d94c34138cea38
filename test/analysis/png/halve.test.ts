import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import fc from 'fast-check';
import { readPngHeader } from '../../../src/analysis/png/chunks.ts';
import { halveInterlaced, halvePng } from '../../../src/analysis/png/halve.ts';
import { decodeRaster } from '../../../src/analysis/decode.ts';
import { runsOf, sizeOf, full } from '../../support/effort.ts';
import { heavyPng } from '../../support/hostile-pictures.ts';

/** Color types and depths of a PNG, by what sharp is asked for. */
const kinds = {
  gray: { space: 'b-w', channels: 3 },
  'a few shades of gray': { space: 'b-w', channels: 3, isOfFew: true },
  'gray and alpha': { space: 'b-w', channels: 4 },
  RGB: { space: 'srgb', channels: 3 },
  RGBA: { space: 'srgb', channels: 4 },
  'a palette': { space: 'srgb', channels: 3, isOfFew: true },
  'a palette with alpha': { space: 'srgb', channels: 4, isOfFew: true },
  'gray of 16 bits': { space: 'grey16', channels: 3 },
  'RGB of 16 bits': { space: 'rgb16', channels: 3 },
  'RGBA of 16 bits': { space: 'rgb16', channels: 4 },
} as const satisfies Record<string, Readonly<{ space: string; channels: 3 | 4; isOfFew?: true }>>;
type Kind = keyof typeof kinds;
type Drawn = Readonly<{ width: number; height: number; kind: Kind; seed: number; isFiltered: boolean }>;

const drawn: fc.Arbitrary<Drawn> = fc.record({
  width: fc.integer({ min: 1, max: 40 }),
  height: fc.integer({ min: 1, max: 40 }),
  kind: fc.constantFrom(...(Object.keys(kinds) as Kind[])),
  seed: fc.nat(1_000),
  isFiltered: fc.boolean(),
});

/** An interlaced PNG of smooth and of random parts, so that an encoder with filters uses all of them. */
async function draw({ width, height, kind, seed, isFiltered }: Drawn): Promise<Buffer> {
  const { space, channels, isOfFew = false }: (typeof kinds)[Kind] & { isOfFew?: boolean } = kinds[kind];
  const pixels = Buffer.alloc(width * height * channels);
  let state = seed + 1;
  for (let i = 0; i < pixels.length; i += 1) {
    state = (state * 48_271) % 2_147_483_647;
    const column = Math.floor(i / channels) % width;
    pixels[i] = column % 16 < 8 ? (column * 5 + i) & 255 : state & 255;
  }
  return sharp(pixels, { raw: { width, height, channels } })
    .toColourspace(space)
    .png({
      progressive: true,
      adaptiveFiltering: isFiltered,
      ...(isOfFew ? { palette: true, colours: 2 + (seed % 200) } : { palette: false }),
    })
    .toBuffer();
}

type Pixels = Readonly<{ width: number; height: number; channels: number; data: Buffer }>;

async function pixelsOf(png: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(png)
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { ...info, data };
}

/** Every second pixel of every second row. */
function everySecond({ width, height, channels, data }: Pixels): Pixels {
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2), channels };
  const kept = Buffer.alloc(half.width * half.height * channels);
  for (let y = 0; y < half.height; y += 1) {
    for (let x = 0; x < half.width; x += 1) {
      const from = (2 * y * width + 2 * x) * channels;
      data.copy(kept, (y * half.width + x) * channels, from, from + channels);
    }
  }
  return { ...half, data: kept };
}

async function halve(png: Buffer): Promise<Buffer> {
  const header = readPngHeader(png);
  if (header === null) throw new Error('no header');
  return halvePng(png, header);
}

describe('an interlaced PNG at half its size', () => {
  it('has every second pixel of every second row, whatever its size, colors and filters', async () => {
    const property = fc.asyncProperty(drawn, async (picture) => {
      const png = await draw(picture);
      expect(readPngHeader(png)?.isInterlaced).toBe(true);
      const halved = await halve(png);
      expect(readPngHeader(halved)).toMatchObject({ depth: 8, isInterlaced: false });
      const [half, expected] = [await pixelsOf(halved), everySecond(await pixelsOf(png))];
      expect(half.width).toBe(expected.width);
      expect(half.height).toBe(expected.height);
      expect(Buffer.compare(half.data, expected.data)).toBe(0);
    });
    await fc.assert(property, { numRuns: runsOf('values') });
  });

  it('keeps its color profile and its orientation', async () => {
    const pixels = { create: { width: 30, height: 20, channels: 3, background: 'teal' } } as const;
    const png = await sharp(pixels)
      .withIccProfile('p3')
      .withMetadata({ orientation: 6 })
      .png({ progressive: true, palette: false })
      .toBuffer();
    const { icc, orientation } = await sharp(await halve(png)).metadata();
    expect(icc).toEqual((await sharp(png).metadata()).icc);
    expect(orientation).toBe(6);
  });

  const small = () => draw({ width: 30, height: 30, kind: 'RGB', seed: 7, isFiltered: true });

  it('is refused where a byte has changed, or the end is missing', async () => {
    const png = await small();
    for (let at = 33; at < png.length - 12; at += 41) {
      const changed = Buffer.from(png);
      changed[at] = (changed[at] ?? 0) ^ 0x55;
      await expect(halve(changed)).rejects.toThrow(/damaged|header|unknown|invalid|end of file/);
    }
    await expect(halve(png.subarray(0, -20))).rejects.toThrow('it is cut off');
  });
});

it('other files are decoded as they are', async () => {
  const others = [
    await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .png({ progressive: true })
      .toBuffer(),
    Buffer.alloc(3),
  ];
  for (const file of others) expect(await halveInterlaced(file)).toBe(file);
});

it(
  'a large interlaced picture gives nearly the pixels of the same one that is not, and its own size',
  full,
  async () => {
    const [width, height] = [6_800, 5_001];
    const base = sharp({
      create: {
        width: 100,
        height: 80,
        channels: 4,
        background: 'white',
        noise: { type: 'gaussian', mean: 128, sigma: 30 },
      },
    });
    const enlarged = sharp(await base.png().toBuffer()).resize(width, height, { fit: 'fill' });
    const [interlaced, plain] = await Promise.all(
      [true, false].map((progressive) => enlarged.clone().png({ progressive, compressionLevel: 1 }).toBuffer()),
    );
    const [one, other] = [
      await decodeRaster(interlaced ?? Buffer.alloc(0), 512),
      await decodeRaster(plain ?? Buffer.alloc(0), 512),
    ];
    expect(one.facts).toMatchObject({ width, height, format: 'png', byteSize: interlaced?.length });
    expect(one.raster).toMatchObject({
      width: other.raster.width,
      height: other.raster.height,
      channels: other.raster.channels,
    });
    const difference = one.raster.data.reduce(
      (sum, value, i) => sum + Math.abs(value - (other.raster.data[i] ?? 0)),
      0,
    );
    expect(difference / one.raster.data.length).toBeLessThan(1);
  },
);

it('a picture of up to 100 megapixels that takes eight bytes a pixel is decoded', full, async () => {
  const side = sizeOf(6_000, 10_000);
  expect((await decodeRaster(heavyPng(side), 512)).facts).toMatchObject({ width: side, height: side });
});
