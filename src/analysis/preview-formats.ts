import type { Sharp } from 'sharp';

/** Formats of previews. */
export const previewFormats = ['avif', 'webp', 'jpeg'] as const;
export type PreviewFormat = (typeof previewFormats)[number];

/** A preview is at most this many times as high as it is wide. */
export const previewHeightRatio = 3;

/** Encodes with a quality at which a preview looks like the picture, and an effort that takes less time than decoding. */
export function encodePreview(image: Sharp, format: PreviewFormat): Sharp {
  switch (format) {
    case 'avif':
      return image.avif({ quality: 55, effort: 2 });
    case 'webp':
      return image.webp({ quality: 80, effort: 2 });
    case 'jpeg':
      return image.flatten({ background: 'white' }).jpeg({ quality: 80 });
  }
}
