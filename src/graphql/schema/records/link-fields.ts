import type { RecordRow, Resource } from '../../../catalog/index.ts';
import type { FieldBuilder } from '../builder.ts';
import {
  fileOf,
  FilmstripRef,
  filmstripWidthsText,
  PreviewFormatEnum,
  previewOf,
  PreviewRef,
  usualWidth,
  VideoFileRef,
  widthsText,
} from './preview.ts';

/** Fields for showing a record: URLs of its preview and of its file. */
export function linkFields(t: FieldBuilder<RecordRow>, resource: Resource) {
  return {
    preview: t.field({
      type: PreviewRef,
      nullable: true,
      description: `A smaller copy of ${resource === 'image' ? 'the picture' : 'the poster'}; null where there is nothing to show.`,
      args: {
        width: t.arg.int({
          defaultValue: 400,
          required: true,
          description: `Minimum width in pixels; previews are ${widthsText} wide, and no wider than the picture.`,
        }),
        format: formatArg(t),
      },
      resolve: (row, args, context) => previewOf(context, resource, row, args),
    }),
    ...(resource === 'image' ? ofImages(t) : ofVideos(t)),
  };
}

function formatArg(t: FieldBuilder<RecordRow>) {
  return t.arg({
    type: PreviewFormatEnum,
    description: 'Its format; by default WebP or JPEG, whichever the client accepts.',
  });
}

function ofImages(t: FieldBuilder<RecordRow>) {
  return {
    placeholder: t.string({
      nullable: true,
      description: 'A blurred miniature of the picture, as ThumbHash in base64; null if an earlier version stored it.',
      resolve: ({ placeholder }) => placeholder ?? null,
    }),
    previewUrl: t.string({
      nullable: true,
      description: `The address of a preview that is ${usualWidth} pixels wide.`,
      resolve: async (row, _args, context) =>
        (await previewOf(context, 'image', row, { width: usualWidth }))?.url ?? null,
    }),
  };
}

/** The `preview_url` of a video is not among these, because the owner sets it. */
function ofVideos(t: FieldBuilder<RecordRow>) {
  const kind = 'filmstrip';
  return {
    filmstrip: t.field({
      type: FilmstripRef,
      nullable: true,
      description: 'Frames of the video in one picture, for hovering; null if there are none.',
      args: {
        width: t.arg.int({
          defaultValue: 160,
          required: true,
          description: `Minimum width of a frame in pixels; frames are ${filmstripWidthsText} wide, and no wider than the video.`,
        }),
        format: formatArg(t),
      },
      resolve: (row, args, context) => previewOf(context, 'video', row, { kind, ...args }),
    }),
    file: t.field({
      type: VideoFileRef,
      nullable: true,
      description: 'The file, to be played or downloaded; null where previews are off.',
      resolve: (row, _args, context) => fileOf(context, row),
    }),
    posterUrl: t.string({
      nullable: true,
      description: 'The address of a preview of the poster.',
      resolve: async (row, _args, context) =>
        (await previewOf(context, 'video', row, { width: usualWidth }))?.url ?? null,
    }),
    filmstripUrl: t.string({
      nullable: true,
      description: `The address of the filmstrip whose frames are ${filmstripWidthsText.split(' ')[0]} pixels wide.`,
      resolve: async (row, _args, context) => (await previewOf(context, 'video', row, { kind, width: 1 }))?.url ?? null,
    }),
    fileUrl: t.string({
      nullable: true,
      description: 'The address of the file.',
      resolve: async (row, _args, context) => (await fileOf(context, row))?.url ?? null,
    }),
  };
}
