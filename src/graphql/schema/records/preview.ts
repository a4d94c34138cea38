import type { PreviewFormat } from '../../../analysis/index.ts';
import type { RecordRow, Resource } from '../../../catalog/index.ts';
import { previewWidths, widthFor } from '../../../previews/index.ts';
import type { PreviewWidth } from '../../../previews/index.ts';
import { builder } from '../builder.ts';
import { viewerOf } from '../context.ts';
import type { Context } from '../context.ts';

/** A smaller copy of a picture, by its address. */
type PreviewLink = Readonly<{ url: string; width: number; height: number }>;

export const PreviewRef = builder.objectRef<PreviewLink>('Preview').implement({
  description: 'A smaller copy of a picture, upright, in sRGB and without metadata.',
  fields: (t) => ({
    url: t.exposeString('url', {
      description:
        'Its address on this service, for `<img>`: signed, so that it needs no key, and valid for one to two days.',
    }),
    width: t.exposeInt('width', { description: 'Its width in pixels.' }),
    height: t.exposeInt('height', { description: 'Its height in pixels.' }),
  }),
});

export const PreviewFormatEnum = builder.enumType('PreviewFormat', {
  description: 'Formats of previews.',
  values: {
    avif: { description: 'The smallest files, which take longest to make.' },
    webp: { description: 'Small files that every current browser shows.' },
    jpeg: { description: 'For everything else.' },
  } satisfies Record<PreviewFormat, object>,
});

/** The width of `preview_url`. */
export const usualWidth = 640;

export const widthsText = `${previewWidths.slice(0, -1).join(', ')} or ${previewWidths.at(-1)}`;

/** The preview of a row, by its signed address; null where nothing can be shown, or previews are off. */
export async function previewOf(
  context: Context,
  resource: Resource,
  { preview }: RecordRow,
  { width: pixels, format }: Readonly<{ width: number; format?: PreviewFormat | null | undefined }>,
): Promise<PreviewLink | null> {
  const { previews } = context.services;
  if (previews === undefined || preview === null || preview === undefined) return null;
  const [row, checksum, ...size] = preview;
  const { tenantId } = viewerOf(context);
  const step = widthFor(pixels);
  const path = await previews.pathOf({ tenantId, resource, rowId: BigInt(row), checksum }, step, format ?? undefined);
  return { url: `${context.services.baseUrl ?? ''}${path}`, ...fit(size.map(Number) as [number, number], step) };
}

/** The size of a preview: never wider than its picture, and at most three times as high as the step is wide. */
function fit([width, height]: readonly [number, number], step: PreviewWidth): { width: number; height: number } {
  const scale = Math.min(1, step / width, (step * 3) / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
