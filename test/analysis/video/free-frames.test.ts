import { expect, it } from 'vitest';
import { freeClosedFrames } from '../../../src/analysis/video/free-frames.ts';

it.each([
  { size: [3840, 2160], count: 30, collections: 10 },
  { size: [640, 360], count: 97, collections: 0 },
  { size: [640, 360], count: 98, collections: 1 },
] as const)('$count closed frames of $size are collected $collections times', ({ size, count, collections }) => {
  let [closed, collected] = [0, 0];
  class Frame {
    readonly codedWidth = size[0];
    readonly codedHeight = size[1];
    close(): void {
      closed += 1;
    }
  }
  freeClosedFrames(Frame.prototype, () => (collected += 1));
  for (let n = 0; n < count; n += 1) new Frame().close();
  expect([closed, collected]).toEqual([count, collections]);
});
