import fc from 'fast-check';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { thumbHashToApproximateAspectRatio, thumbHashToAverageRGBA, thumbHashToRGBA } from 'thumbhash';
import { describe, expect, it } from 'vitest';
import { placeholderOf } from '../../src/analysis/placeholder.ts';
import type { Raster } from '../../src/analysis/raster.ts';

async function rasterOf(image: Sharp): Promise<Raster> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels === 4 ? 4 : 3 };
}

const plain = (width: number, height: number, background: string) =>
  rasterOf(sharp({ create: { width, height, channels: 4, background } }));

const bytesOf = (placeholder: string) => Buffer.from(placeholder, 'base64');

describe('the placeholder of a picture', () => {
  it.each([
    ['red', [1, 0, 0]],
    ['#204060', [0.125, 0.25, 0.376]],
    ['transparent', [1, 1, 1]],
  ])('of one color has this color: %s', async (color, [red = 0, green = 0, blue = 0]) => {
    const { r, g, b } = thumbHashToAverageRGBA(bytesOf(placeholderOf(await plain(400, 300, color))));
    expect(r).toBeCloseTo(red, 1);
    expect(g).toBeCloseTo(green, 1);
    expect(b).toBeCloseTo(blue, 1);
  });

  it('has about the shape of the picture', async () => {
    for (const [width, height] of [
      [400, 300],
      [300, 400],
      [512, 512],
      [512, 256],
    ] as const) {
      // prettier-ignore
      const ratio = thumbHashToApproximateAspectRatio(bytesOf(placeholderOf(await plain(width, height, 'teal'))));
      expect(Math.abs(Math.log2(ratio / (width / height)))).toBeLessThan(0.4);
    }
  });

  it('has the light where the picture has it', async () => {
    const right = { create: { width: 200, height: 200, channels: 3, background: 'white' } } as const;
    const half = sharp({ create: { width: 400, height: 200, channels: 3, background: 'black' } });
    const raster = await rasterOf(half.composite([{ input: right, left: 200, top: 0 }]));
    const { w, h, rgba } = thumbHashToRGBA(bytesOf(placeholderOf(raster)));
    const row = Math.floor(h / 2) * w;
    const [left, end] = [rgba[(row + 2) * 4] ?? 0, rgba[(row + w - 3) * 4] ?? 0];
    expect(end - left).toBeGreaterThan(150);
  });

  it('takes some thirty characters, whatever the picture', async () => {
    const raster = fc.record({ width: fc.integer({ min: 1, max: 512 }), height: fc.integer({ min: 1, max: 512 }) });
    await fc.assert(
      fc.asyncProperty(raster, async ({ width, height }) => {
        const placeholder = placeholderOf(await plain(width, height, 'teal'));
        expect(placeholder.length).toBeLessThanOrEqual(36);
      }),
      { numRuns: 30 },
    );
  });
});
