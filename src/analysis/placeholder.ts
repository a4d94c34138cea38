import { rgbaToThumbHash } from 'thumbhash';
import type { Raster } from './raster.ts';
import { resample } from './resample.ts';

/** ThumbHash keeps at most seven waves a side: more pixels would only take time, four times as much at twice the side. */
const longSide = 16;

/** A blurred miniature of a picture: its ThumbHash, about 25 bytes in base64. Transparent pixels count as white. */
export function placeholderOf(raster: Raster): string {
  const scale = Math.min(1, longSide / Math.max(raster.width, raster.height));
  const width = Math.max(1, Math.round(raster.width * scale));
  const height = Math.max(1, Math.round(raster.height * scale));
  const whole = { x: 0, y: 0, width: raster.width, height: raster.height };
  const colors = resample(raster, whole, [width, height]);
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let at = 0; at < width * height; at += 1) pixels.set(colors.subarray(at * 3, at * 3 + 3), at * 4);
  return Buffer.from(rgbaToThumbHash(width, height, pixels)).toString('base64');
}
