import { previewFormats } from '../analysis/index.ts';
import type { PreviewFormat } from '../analysis/index.ts';

/** Widths of previews in pixels: few, so that each is made once and found by everyone. */
export const previewWidths = [160, 320, 640, 1280, 2048] as const;
export type PreviewWidth = (typeof previewWidths)[number];

/** The narrowest preview that is at least so wide; the widest where none is. */
export function widthFor(pixels: number): PreviewWidth {
  return previewWidths.find((width) => width >= pixels) ?? 2048;
}

/** Formats by the media type that asks for them, the smallest files first. */
export const previewTypes: Readonly<Record<PreviewFormat, string>> = {
  avif: 'image/avif',
  webp: 'image/webp',
  jpeg: 'image/jpeg',
};

/**
 * The format for whoever accepts these types. AVIF takes ten times as long to make as WebP for files that are a fifth smaller,
 * so it is sent only to those who name it in the address.
 */
export function negotiate(accept: string | undefined): PreviewFormat {
  return accept !== undefined && /\bimage\/webp\b(?!\s*;\s*q=0(?:\.0+)?\s*(?:,|$))/i.test(accept) ? 'webp' : 'jpeg';
}

/** The format of this name; undefined for another one. */
export function formatNamed(name: string): PreviewFormat | undefined {
  return previewFormats.find((format) => format === name);
}

/** The width of this name; undefined where the ladder does not have it. */
export function widthNamed(name: string): PreviewWidth | undefined {
  return previewWidths.find((width) => String(width) === name);
}
