import { describe, expect, it } from 'vitest';
import { embed } from '../../src/analysis/analyzers/embedding.ts';
import { runOnWebAssembly } from '../../src/analysis/networks/tensorflow.ts';
import { ceddSize, describeColorTexture } from '../../src/analysis/analyzers/cedd.ts';

/** A picture of one color; of sizes whose resampling is not exact. */
const plain = (width: number, height: number, value: number) => ({
  data: new Uint8Array(width * height * 3).fill(value),
  width,
  height,
  channels: 3 as const,
});

describe('the embedding of a plain picture', () => {
  it('has a number for each color and texture, white included', () => {
    for (const [width, height] of [
      [512, 341],
      [512, 511],
      [320, 213],
    ] as const) {
      const histogram = describeColorTexture(plain(width, height, 255));
      expect([histogram.length, histogram.some(Number.isNaN)]).toEqual([ceddSize, false]);
      expect(Math.hypot(...histogram)).toBeCloseTo(1, 5);
    }
  });

  it('is not nothing', async () => {
    expect((await embed(plain(512, 341, 255), runOnWebAssembly)).some((value) => value !== 0)).toBe(true);
  }, 30_000);
});
