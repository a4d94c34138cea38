import { posterSide, previewFormats, previewHeightRatio } from '../analysis/index.ts';
import type { PreviewFormat } from '../analysis/index.ts';
import type { Resource } from '../catalog/index.ts';

/** Widths of previews in pixels: few, so that each is made once and shared by all clients. */
export const previewWidths = [160, 320, 640, 1280, 2048] as const;
export type PreviewWidth = (typeof previewWidths)[number];

/** What a preview shows: the picture, or frames of a video side by side. */
export type PreviewKind = 'picture' | 'filmstrip';

/** Widths of each frame of a filmstrip, which is shown in a list of results. */
const filmstripWidths: readonly PreviewWidth[] = previewWidths.slice(0, 2);

/** The widths that a kind of preview can have. */
export function widthsOf(kind: PreviewKind): readonly PreviewWidth[] {
  return kind === 'filmstrip' ? filmstripWidths : previewWidths;
}

/** The narrowest preview with at least this width; the widest if there is none. */
export function widthFor(pixels: number, kind: PreviewKind = 'picture'): PreviewWidth {
  const widths = widthsOf(kind);
  return widths.find((width) => width >= pixels) ?? widths.at(-1) ?? 2048;
}

/** The size of what previews are made from: for a video, its poster, which is small. */
export function pictureSize(
  resource: Resource,
  kind: PreviewKind,
  [width, height]: readonly [number, number],
): readonly [number, number] {
  if (resource === 'image' || kind === 'filmstrip') return [width, height];
  const scale = Math.min(1, posterSide / Math.max(width, height));
  return [width * scale, height * scale];
}

/** The size of a picture's preview in pixels: no wider than the picture, and no higher than previews may be. */
export function fit([width, height]: readonly [number, number], step: PreviewWidth): { width: number; height: number } {
  const scale = Math.min(1, step / width, (step * previewHeightRatio) / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** The media type of each format, smallest files first. */
export const previewTypes: Readonly<Record<PreviewFormat, string>> = {
  avif: 'image/avif',
  webp: 'image/webp',
  jpeg: 'image/jpeg',
};

/**
 * The format for a client that accepts these types. AVIF takes ten times as long to make as WebP for files that are a
 * fifth smaller, so it is sent only to clients that name it in the URL.
 */
export function negotiate(accept: string | undefined): PreviewFormat {
  return accept !== undefined && /\bimage\/webp\b(?!\s*;\s*q=0(?:\.0+)?\s*(?:,|$))/i.test(accept) ? 'webp' : 'jpeg';
}

/** The format with this name; undefined if there is none. */
export function formatNamed(name: string): PreviewFormat | undefined {
  return previewFormats.find((format) => format === name);
}

/** The width with this name; undefined if the ladder does not contain it. */
export function widthNamed(name: string, kind: PreviewKind): PreviewWidth | undefined {
  return widthsOf(kind).find((width) => String(width) === name);
}

/** A stored preview: a width and format of a kind of preview of a file. */
type KeptPreview = Readonly<{
  shown: Readonly<{ tenantId: number; resource: Resource; fileId: string }>;
  kind: PreviewKind;
  width: PreviewWidth;
  format: PreviewFormat;
}>;

/**
 * The name under which a preview is stored: by tenant, so that no tenant is ever served the file of another, and by
 * the content of the picture's file.
 */
export function nameOf({ shown: { tenantId, resource, fileId }, kind, width, format }: KeptPreview): string {
  const what = kind === 'filmstrip' ? 'filmstrip' : resource;
  return `${tenantId}/${fileId.slice(0, 2)}/${what}-${fileId}-${width}.${format}`;
}
