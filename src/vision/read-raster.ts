import sharp from 'sharp';
import { maxPixels } from './decode.ts';
import type { Raster } from './raster.ts';

/** The longer side of the raster that signatures are made from. */
const side = 512;

/** Reads a picture as signatures need it: upright, sRGB, on white, at most 512 pixels long. */
export async function readRaster(bytes: Buffer): Promise<Raster> {
  const { data, info } = await sharp(bytes, { limitInputPixels: maxPixels })
    .autoOrient()
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels as 3 };
}
