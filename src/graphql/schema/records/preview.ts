import { filmstripFrames } from '../../../analysis/index.ts';
import type { PreviewFormat } from '../../../analysis/index.ts';
import type { RecordRow, Resource } from '../../../catalog/index.ts';
import { fit, pictureSize, previewWidths, videoType, widthFor, widthsOf } from '../../../previews/index.ts';
import type { PreviewKind } from '../../../previews/index.ts';
import { builder } from '../builder.ts';
import { baseUrlOf, viewerOf } from '../context.ts';
import type { Context } from '../context.ts';

/** The URL of a smaller copy of a picture. */
type PreviewLink = Readonly<{ url: string; width: number; height: number }>;

/** The URL of a video's file. */
type FileLink = Readonly<{ url: string; type: string; bytes: number }>;

const urlText = 'signed, so that it needs no key, and valid for one to two days.';

export const PreviewRef = builder.objectRef<PreviewLink>('Preview').implement({
  description: 'A smaller copy of a picture, upright, in sRGB and without metadata.',
  fields: (t) => ({
    url: t.exposeString('url', { description: `Its address on this service, for \`<img>\`: ${urlText}` }),
    width: t.exposeInt('width', { description: 'Its width in pixels.' }),
    height: t.exposeInt('height', { description: 'Its height in pixels.' }),
  }),
});

export const FilmstripRef = builder.objectRef<PreviewLink>('Filmstrip').implement({
  description: 'Frames of a video at equal distances, side by side in one picture, the first on the left.',
  fields: (t) => ({
    url: t.exposeString('url', { description: `The address of the picture on this service: ${urlText}` }),
    width: t.exposeInt('width', { description: 'The width of one frame in pixels.' }),
    height: t.exposeInt('height', { description: 'The height of one frame, and of the picture, in pixels.' }),
    count: t.int({ description: 'Number of frames.', resolve: () => filmstripFrames }),
  }),
});

export const VideoFileRef = builder.objectRef<FileLink>('VideoFile').implement({
  description: 'The file of a video.',
  fields: (t) => ({
    url: t.exposeString('url', { description: `Its address on this service, for \`<video>\`: ${urlText}` }),
    type: t.exposeString('type', { description: 'Its media type, such as `video/mp4`.' }),
    bytes: t.expose('bytes', { type: 'BigInt', description: 'Its size when it was stored.' }),
  }),
});

export const PreviewFormatEnum = builder.enumType('PreviewFormat', {
  description: 'Formats of previews.',
  values: {
    avif: { description: 'The smallest files, but the slowest to make.' },
    webp: { description: 'Small files that every current browser shows.' },
    jpeg: { description: 'For everything else.' },
  } satisfies Record<PreviewFormat, object>,
});

/** The width of `preview_url`. */
export const usualWidth = 640;

export const widthsText = `${previewWidths.slice(0, -1).join(', ')} or ${previewWidths.at(-1)}`;
export const filmstripWidthsText = widthsOf('filmstrip').join(' or ');

type Wanted = Readonly<{ kind?: PreviewKind; width: number; format?: PreviewFormat | null | undefined }>;

/** Returns the preview of a row, with a signed URL; null if there is nothing to show, or previews are off. */
export async function previewOf(
  context: Context,
  resource: Resource,
  { preview }: RecordRow,
  { kind = 'picture', width: pixels, format }: Wanted,
): Promise<PreviewLink | null> {
  const { previews } = context.services;
  if (previews === undefined || preview === null || preview === undefined) return null;
  const [row, fileId, ...size] = preview;
  const shown = { tenantId: viewerOf(context).tenantId, resource, rowId: BigInt(row), fileId };
  const width = widthFor(pixels, kind);
  const path = await previews.pathOf(shown, { kind, width, format: format ?? undefined });
  const [own, other] = size.map(Number) as [number, number];
  return { url: `${baseUrlOf(context)}${path}`, ...fit(pictureSize(resource, kind, [own, other]), width) };
}

/** Returns the file of a video, with a signed URL; null if it has none, or previews are off. */
export async function fileOf(context: Context, { file }: RecordRow): Promise<FileLink | null> {
  const { previews } = context.services;
  if (previews === undefined || file === null || file === undefined) return null;
  const [row, fileId, container, bytes] = file;
  const { tenantId } = viewerOf(context);
  const path = await previews.filePathOf({ tenantId, resource: 'video', rowId: BigInt(row), fileId });
  return { url: `${baseUrlOf(context)}${path}`, type: videoType(container), bytes: Number(bytes) };
}
