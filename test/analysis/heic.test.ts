import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { convertPicture } from '../../src/analysis/convert.ts';
import { checkMemory, decodeCost, isLarge } from '../../src/analysis/decode-cost.ts';
import { decodeRaster } from '../../src/analysis/decode.ts';
import { decodeMemoryBytes } from '../../src/analysis/limits.ts';
import { makeHeic, tileSide } from '../support/heic.ts';

const colors = { red: [220, 30, 30], green: [30, 160, 30], blue: [30, 30, 220], white: [240, 240, 240] } as const;
const tiles = [
  [colors.red, colors.green],
  [colors.blue, colors.white],
] as const;
/** A point in the middle of each tile, of a picture that is 64 pixels wide. */
const middles = [16, 48].flatMap((y) => [16, 48].map((x) => [x, y] as const));

describe('a HEIC', () => {
  it.each([
    { turns: 0, shown: ['red', 'green', 'blue', 'white'] },
    { turns: 1, shown: ['green', 'white', 'red', 'blue'] },
    { turns: 2, shown: ['white', 'blue', 'green', 'red'] },
    { turns: 3, shown: ['blue', 'red', 'white', 'green'] },
  ] as const)('of tiles is decoded upright, stored with $turns quarter turns', async ({ turns, shown }) => {
    const heic = await makeHeic({ tiles, turns });
    const { facts, raster } = await decodeRaster(heic, 64);
    expect(facts).toMatchObject({ width: 2 * tileSide, height: 2 * tileSide, format: 'heic', byteSize: heic.length });
    expect(middles.map(([x, y]) => nearest(pixel(raster, x, y)))).toEqual(shown);
  });

  it('is as wide and high as all its tiles', async () => {
    const { facts } = await decodeRaster(await makeHeic({ tiles: [[colors.red, colors.green, colors.blue]] }), 64);
    expect(facts).toMatchObject({ width: 3 * tileSide, height: tileSide });
  });

  it('is shown in the colors of its profile', async () => {
    const profiled = sharp({ create: { width: 1, height: 1, channels: 3, background: 'white' } }).withIccProfile('p3');
    const { icc: profile } = await sharp(await profiled.png().toBuffer()).metadata();
    const contrast = async (given: Buffer | undefined) => {
      const heic = await makeHeic({ tiles: [[[200, 80, 80]]], ...(given && { profile: given }) });
      const [red = 0, green = 0] = pixel((await decodeRaster(heic, 64)).raster, 32, 32);
      return red - green;
    };
    expect((await contrast(profile)) - (await contrast(undefined))).toBeGreaterThan(10);
  });

  it('has previews', async () => {
    const preview = { to: 'preview', width: 100, format: 'jpeg' } as const;
    const { bytes, width, height } = await convertPicture(await makeHeic({ tiles, turns: 1 }), preview);
    expect([width, height]).toEqual([100, 100]);
    expect(nearest(await sharp(bytes).extract({ left: 20, top: 20, width: 1, height: 1 }).raw().toBuffer())).toBe('green'); // prettier-ignore
  });

  it('that is cut off, or whose boxes are damaged, is refused', async () => {
    const heic = await makeHeic({ tiles });
    const cuts = [heic.subarray(0, -20), heic.subarray(0, 300)];
    for (const cut of cuts) {
      await expect(decodeRaster(Buffer.from(cut), 64)).rejects.toMatchObject({ code: 'decode_failed' });
    }
    for (const box of ['hvcC', 'iloc', 'ipma', 'pitm', 'dimg']) {
      const damaged = Buffer.from(heic.toString('latin1').replace(box, 'free'), 'latin1');
      await expect(decodeRaster(damaged, 64), box).rejects.toMatchObject({ code: 'decode_failed' });
    }
  });

  it.each([
    ['fewer bytes than the header of a box', Buffer.from('end')],
    ['bytes that read as a long box', Buffer.from('a trailer of the device')],
    ['another box', Buffer.from('\0\0\0\x0cmpvdabcd')],
  ])('that has %s behind its pixels is decoded', async (_what, trailer) => {
    const heic = await makeHeic({ tiles });
    const { raster } = await decodeRaster(Buffer.concat([heic, trailer]), 64);
    expect(raster).toEqual((await decodeRaster(heic, 64)).raster);
  });

  it('of 12 megapixels, as phones take it, is decoded beside others; one of 48 has a process of its own', async () => {
    const heic = await makeHeic({ tiles });
    const costOf = (width: number, height: number) => {
      const at = heic.lastIndexOf('ispe');
      heic.writeUInt32BE(width, at + 8);
      heic.writeUInt32BE(height, at + 12);
      return decodeCost(heic);
    };
    expect(isLarge(costOf(4032, 3024))).toBe(false);
    expect(isLarge(costOf(8064, 6048))).toBe(true);
    expect(() => checkMemory(costOf(8064, 6048), decodeMemoryBytes)).not.toThrow();
  });

  it('that has more pixels than its header states is refused', async () => {
    const heic = await makeHeic({ tiles });
    // The size of the whole is that of a tile; that of each tile, a single pixel.
    for (let at = heic.indexOf('ispe'); at !== -1; at = heic.indexOf('ispe', at + 4)) {
      heic.writeUInt32BE(8, at + 8);
      heic.writeUInt32BE(8, at + 12);
    }
    await expect(decodeRaster(heic, 64)).rejects.toMatchObject({ code: expect.stringMatching(/decode_failed|too_large/) as unknown }); // prettier-ignore
  });
});

type Pixels = Readonly<{ data: Uint8Array; width: number; channels: number }>;

function pixel({ data, width, channels }: Pixels, x: number, y: number): Uint8Array {
  return data.subarray((y * width + x) * channels, (y * width + x) * channels + 3);
}

/** Name of the color that is nearest to a pixel, which video compression changes a little. */
function nearest(seen: Uint8Array): string | undefined {
  const distance = (color: readonly number[]) => Math.max(...color.map((value, n) => Math.abs(value - (seen[n] ?? 0))));
  return Object.entries(colors).find(([, color]) => distance(color) < 24)?.[0];
}
