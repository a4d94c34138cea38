import { maxPixels } from '../limits.ts';
import { lengthOfBox } from './is-cut-off.ts';

/** Ordinary files have less than ten boxes, and some ten kilobytes in `meta`. */
const most = { boxes: 1_000, metaBytes: 2 ** 20 } as const;

/**
 * Pixels of an AVIF or HEIC: of the largest size in its box `meta`, which is that of the whole if the picture consists of
 * parts. Null if it has none; `maxPixels` for a file with more boxes, or a longer one, than are searched.
 */
export function heifPixels(bytes: Buffer): number | null {
  let pixels = 0;
  let length = 0;
  for (let [at, boxes] = [0, 0]; at + 8 <= bytes.length; at += length, boxes += 1) {
    length = lengthOfBox(bytes, at);
    if (length < 8) break; // Not a box.
    const isMeta = bytes.toString('latin1', at + 4, at + 8) === 'meta';
    if (boxes === most.boxes || (isMeta && length > most.metaBytes)) return maxPixels;
    if (isMeta) pixels = Math.max(pixels, largestIn(bytes.subarray(at, at + length)));
  }
  return pixels === 0 ? null : pixels;
}

function largestIn(meta: Buffer): number {
  let pixels = 0;
  for (let at = meta.indexOf('ispe'); at !== -1 && at + 16 <= meta.length; at = meta.indexOf('ispe', at + 4)) {
    pixels = Math.max(pixels, meta.readUInt32BE(at + 8) * meta.readUInt32BE(at + 12));
  }
  return pixels;
}
