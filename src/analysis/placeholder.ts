import { rgbaToThumbHash } from 'thumbhash';
import type { Raster } from './raster.ts';
import { resample } from './resample.ts';

/**
 * Longer side in pixels. ThumbHash keeps at most seven waves per side: more pixels would only cost time, four times as much
 * at twice the side.
 */
const longSide = 16;

/** A blurred miniature of a picture: its ThumbHash, about 25 bytes in base64. Transparent pixels count as white. */
export function placeholderOf(raster: Raster): string {
  const scale = Math.min(1, longSide / Math.max(raster.width, raster.height));
  const width = Math.max(1, Math.round(raster.width * scale));
  const height = Math.max(1, Math.round(raster.height * scale));
  const whole = { x: 0, y: 0, width: raster.width, height: raster.height };
  const colors = resample(raster, whole, [width, height]);
  return Buffer.from(rgbaToThumbHash(width, height, toOpaque(colors))).toString('base64');
}

/** Converts red, green and blue to opaque RGBA bytes. */
function toOpaque(colors: Float32Array): Uint8ClampedArray {
  const pixels = new Uint8ClampedArray((colors.length / 3) * 4).fill(255);
  for (let at = 0, to = 0; at < colors.length; at += 3, to += 4) {
    pixels[to] = colors[at] as number;
    pixels[to + 1] = colors[at + 1] as number;
    pixels[to + 2] = colors[at + 2] as number;
  }
  return pixels;
}
