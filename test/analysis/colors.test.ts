import { describe, expect, it } from 'vitest';
import { findColors } from '../../src/analysis/analyzers/colors.ts';
import type { Raster } from '../../src/analysis/raster.ts';
import { noCorpus, readManifest } from '../support/corpus.ts';
import { readRaster } from './pictures.ts';

/** A picture of vertical stripes, each of a color and a width. */
function stripes(...parts: readonly (readonly [color: readonly number[], width: number])[]): Raster {
  const row = parts.flatMap(([color, width]) => Array.from({ length: width }, () => color).flat());
  const channels = (parts[0]?.[0].length ?? 3) as 3 | 4;
  return { data: Uint8Array.from([...row, ...row]), width: row.length / channels, height: 2, channels };
}

describe('the colors of a picture', () => {
  it('are named, measured and sorted by their share', () => {
    expect(findColors(stripes([[0, 0, 128], 6], [[255, 255, 255], 4]))).toEqual({
      dominant: [
        { name: 'navy', hex: '#000080', percent: 60 },
        { name: 'white', hex: '#ffffff', percent: 40 },
      ],
      isBlackAndWhite: false,
    });
  });

  it('are one where they look like one', () => {
    const { dominant: foundColors } = findColors(stripes([[250, 0, 0], 5], [[245, 8, 4], 5], [[0, 0, 0], 10]));
    expect(foundColors.map(({ name, percent }) => [name, percent])).toEqual([
      ['black', 50],
      ['red', 50],
    ]);
  });

  it('leave out what is less than a hundredth', () => {
    const { dominant: foundColors } = findColors(stripes([[255, 0, 0], 995], [[0, 0, 255], 5]));
    expect(foundColors.map(({ name }) => name)).toEqual(['red']);
  });

  it('do not count clear pixels', () => {
    expect(findColors(stripes([[255, 0, 0, 0], 50], [[0, 128, 0, 255], 50])).dominant).toEqual([
      { name: 'green', hex: '#008000', percent: 100 },
    ]);
    expect(findColors(stripes([[255, 0, 0, 0], 5]))).toEqual({ dominant: [], isBlackAndWhite: false });
  });
});

describe.skipIf(noCorpus)('the colors of the corpus', () => {
  const pictures = noCorpus ? [] : readManifest().colors;
  const channelsOf = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

  it.each(pictures.filter(({ kind }) => kind === 'synthetic'))(
    'are the stated ones, within 16 a channel and 5 points: $file',
    async ({ file, colors = [] }) => {
      const { dominant: foundColors } = findColors(await readRaster(file, 512));
      expect(foundColors.length).toBe(colors.length);
      for (const { hex, percent } of colors) {
        const found = foundColors.find((color) =>
          channelsOf(hex).every((value, i) => Math.abs(value - (channelsOf(color.hex)[i] as number)) <= 16),
        );
        expect(Math.abs((found?.percent ?? 0) - percent)).toBeLessThanOrEqual(5);
      }
    },
  );

  it.each(pictures)(
    'distinguish black-and-white pictures from others: $file',
    async ({ file, is_bw: isBlackAndWhite }) => {
      expect(findColors(await readRaster(file, 512)).isBlackAndWhite).toBe(isBlackAndWhite);
    },
  );

  it('of a picture with a cast all have its hue', async () => {
    const { dominant: foundColors } = findColors(await readRaster('colors/c10-blue-cast-photo.jpg', 512));
    const isBlue = ({ hex }: { hex: string }) => {
      const [red = 0, green = 0, blue = 0] = channelsOf(hex);
      return blue > green && green > red;
    };
    expect(foundColors.filter(isBlue).length).toBe(foundColors.length);
  });

  it.each(noCorpus ? [] : readManifest().originals.filter(({ is_bw }) => is_bw !== null))(
    'say of a photograph whether it is black and white: $file',
    async ({ file, is_bw: isBlackAndWhite }) => {
      expect(findColors(await readRaster(file, 512)).isBlackAndWhite).toBe(isBlackAndWhite);
    },
  );
});
