import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { checkFile, toElementError } from './decode.ts';
import { toDecodable } from './decodable.ts';
import { maxPixels } from './limits.ts';
import type { Region } from './fingerprint/plane.ts';
import { encodePreview, previewHeightRatio } from './preview-formats.ts';
import type { PreviewFormat } from './preview-formats.ts';

/** The file to create from a picture, upright and in sRGB. */
export type Conversion =
  /** A part of it, as PNG. */
  | Readonly<{ to: 'part'; region: Region }>
  /** Its mirror image, as PNG. */
  | Readonly<{ to: 'mirror' }>
  /** A smaller copy that looks the same, as JPEG. */
  | Readonly<{ to: 'copy' }>
  /** The input for models of providers, as JPEG. */
  | Readonly<{ to: 'model' }>
  /** A smaller copy for display, in a format that browsers support. */
  | Readonly<{ to: 'preview'; width: number; format: PreviewFormat }>;

/** The resulting file, and its size in pixels. */
export type Converted = Readonly<{ bytes: Buffer; width: number; height: number }>;

/** Longer sides in pixels: no analyzer uses more, and models scale down further. */
const longSides = { part: 1600, mirror: 1600, copy: 1600, model: 1024 } as const;

/**
 * Converts a picture to another file.
 *
 * @throws ElementError `unsupported_media`, `too_large` or `decode_failed`.
 */
export async function convertPicture(bytes: Buffer, conversion: Conversion): Promise<Converted> {
  const format = checkFile(bytes);
  const [width, height] = boxOf(conversion);
  try {
    const { file } = await toDecodable(bytes, format);
    const image = await prepare(sharp(file, { limitInputPixels: maxPixels, failOn: 'error' }), conversion);
    const fitted = image.resize(width, height, { fit: 'inside', withoutEnlargement: true }).toColourspace('srgb');
    const { data, info } = await fitted.toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.height };
  } catch (error) {
    throw toElementError(error, format);
  }
}

function boxOf(conversion: Conversion): readonly [width: number, height: number] {
  if (conversion.to === 'preview') return [conversion.width, conversion.width * previewHeightRatio];
  const side = longSides[conversion.to];
  return [side, side];
}

async function prepare(image: Sharp, conversion: Conversion): Promise<Sharp> {
  switch (conversion.to) {
    case 'part':
      return cut(image, conversion.region);
    case 'mirror':
      return image.autoOrient().flop().png({ compressionLevel: 1 });
    case 'copy':
      return image.autoOrient().flatten({ background: 'white' }).jpeg({ quality: 88 });
    case 'model':
      return image.autoOrient().flatten({ background: 'white' }).jpeg({ quality: 90 });
    case 'preview':
      return encodePreview(image.autoOrient(), conversion.format);
  }
}

async function cut(image: Sharp, region: Region): Promise<Sharp> {
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
}
