import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Raster } from '../../src/analysis/raster.ts';
import { corpusFolder } from '../support/corpus.ts';

/** A picture of the corpus as pixels; `side` bounds its longer side. */
export async function readRaster(file: string, side?: number): Promise<Raster> {
  const image = sharp(readFileSync(join(corpusFolder, file))).toColourspace('srgb');
  if (side !== undefined) image.resize(side, side, { fit: 'inside', withoutEnlargement: true });
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels as 3 };
}

/** The raster whose pixel (x, y) is the one that `from` names in another. */
export function rearrange(
  raster: Raster,
  [width, height]: readonly [number, number],
  from: (x: number, y: number) => readonly [number, number],
): Raster {
  const { channels } = raster;
  const data = new Uint8Array(width * height * channels);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [fromX, fromY] = from(x, y);
      const at = (fromY * raster.width + fromX) * channels;
      data.set(raster.data.subarray(at, at + channels), (y * width + x) * channels);
    }
  }
  return { data, width, height, channels };
}

/** Bytes without a pattern, the same for the same seed. */
export function noise(length: number, seed: number): Uint8Array {
  return Uint8Array.from(
    { length },
    (_, i) => (Math.imul(Math.imul(i + 1, 0x9e3779b1) ^ seed, 0x85ebca6b) >>> 13) & 255,
  );
}
