import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { maxPixels, checkFile, toElementError } from './decode.ts';
import type { Region } from './plane.ts';

/** Longer side of what is cut out, in pixels: no analyser looks at more. */
const longSide = 1600;

/**
 * A part of the upright picture as a file of its own.
 *
 * @throws ElementError `unsupported_media`, `too_large` or `decode_failed`.
 */
export async function cutPart(bytes: Buffer, region: Region): Promise<Buffer> {
  return convert(bytes, async (image) => {
    const { width, height } = (await image.metadata()).autoOrient;
    const left = Math.min(width - 1, Math.floor(region.x * width));
    const top = Math.min(height - 1, Math.floor(region.y * height));
    const size = {
      width: Math.max(1, Math.min(width - left, Math.round(region.width * width))),
      height: Math.max(1, Math.min(height - top, Math.round(region.height * height))),
    };
    return image
      .autoOrient()
      .extract({ left, top, ...size })
      .png({ compressionLevel: 1 });
  });
}

/** The mirror image as a file of its own. @throws ElementError as `cutPart` does. */
export async function mirrorPicture(bytes: Buffer): Promise<Buffer> {
  return convert(bytes, async (image) => image.autoOrient().flop().png({ compressionLevel: 1 }));
}

/** A smaller copy that looks the same, upright. @throws ElementError as `cutPart` does. */
export async function shrinkPicture(bytes: Buffer): Promise<Buffer> {
  return convert(bytes, async (image) => image.autoOrient().flatten({ background: 'white' }).jpeg({ quality: 88 }));
}

async function convert(bytes: Buffer, make: (image: Sharp) => Promise<Sharp>): Promise<Buffer> {
  const format = checkFile(bytes);
  try {
    const image = await make(sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' }));
    const fitted = image.resize(longSide, longSide, { fit: 'inside', withoutEnlargement: true });
    return await fitted.timeout({ seconds: 30 }).toColourspace('srgb').toBuffer();
  } catch (error) {
    throw toElementError(error, format);
  }
}
