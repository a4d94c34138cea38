import { expect, it } from 'vitest';
import { negotiate, previewWidths, widthFor } from '../../src/previews/ladder.ts';

it.each([
  [1, 160],
  [160, 160],
  [161, 320],
  [400, 640],
  [2048, 2048],
  [10_000, 2048],
])('%i pixels are given the width %i', (pixels, width) => expect(widthFor(pixels)).toBe(width));

it('widths double, more or less: a picture is never sent four times as large as it is shown', () => {
  for (const [at, width] of previewWidths.entries())
    expect(width).toBeLessThanOrEqual(2 * (previewWidths[at - 1] ?? 160));
});

it.each([
  ['image/avif,image/webp,image/apng,image/*,*/*;q=0.8', 'webp'],
  ['image/webp', 'webp'],
  ['image/webp;q=0.5, image/jpeg', 'webp'],
  ['image/webp;q=0, */*', 'jpeg'],
  ['image/webp; q=0.0,*/*', 'jpeg'],
  ['*/*', 'jpeg'],
  ['', 'jpeg'],
  [undefined, 'jpeg'],
])('whoever accepts %s is sent %s', (accept, format) => expect(negotiate(accept)).toBe(format));
