import { describe, expect, it } from 'vitest';
import { centernet } from '../../../src/analysis/analyzers/objects.ts';
import { runOnWebAssembly } from '../../../src/analysis/networks/tensorflow.ts';
import { numbersFrom } from '../../similarity/embedded.ts';

/** Layers of the network whose mean it takes, and the node of the mean. */
const layers = [
  [
    'tower_0/MobilenetV3/expanded_conv_3/depthwise/depthwise',
    'tower_0/MobilenetV3/expanded_conv_3/squeeze_excite/Mean',
  ],
  [
    'tower_0/MobilenetV3/expanded_conv_10/depthwise/hard_swish/mul_1',
    'tower_0/MobilenetV3/expanded_conv_10/squeeze_excite/Mean',
  ],
] as const;

describe('the kernel of means over height and width', () => {
  it.each([
    [64, 64],
    [96, 32],
  ] as const)('gives the mean of each channel, for %i × %i pixels', async (width, height) => {
    const random = numbersFrom(width);
    const pixels = Float32Array.from({ length: width * height * 3 }, () => random() * 255);
    for (const names of layers) {
      const [layer, means] = await runOnWebAssembly({ ...centernet, outputs: names }, pixels, [width, height]);
      const channels = layer?.shape.at(-1) ?? 0;
      expect(means?.shape).toEqual([1, 1, 1, channels]);
      for (let channel = 0; channel < channels; channel += 1) {
        const own = layer?.values.filter((_, i) => i % channels === channel) ?? new Float32Array();
        const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
        expect(means?.values[channel]).toBeCloseTo(mean, 4);
      }
    }
  });
});
