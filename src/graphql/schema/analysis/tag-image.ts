import { AppError } from '../../../lib/errors.ts';
import { tagImage, tagOutputs, tagResult } from '../../../tagging/index.ts';
import type { Color } from '../../../analysis/index.ts';
import type { TagOutput, Tags } from '../../../tagging/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { ColorObject, FaceObject, KeywordScore, OcrObject, ObjectObject } from './analysis-objects.ts';
import type { Score } from './analysis-objects.ts';
import { readUpload } from '../upload.ts';

const TagMode = builder.enumType('TagMode', {
  description: 'What tags are for.',
  values: { editorial: { description: 'For editors: plain, factual, only what is visible.' } },
});

const TagModels = builder.objectRef<Tags>('TagModels').implement({
  description: 'Analyzer and version of each output; null if it was not requested.',
  fields: (t) =>
    Object.fromEntries(
      (Object.keys(tagOutputs) as TagOutput[]).map((output) => [
        output,
        t.string({
          nullable: true,
          description: `Source of \`${output}\`.`,
          resolve: ({ outcomes }) => {
            const outcome = outcomes[tagOutputs[output]];
            return outcome === undefined ? null : `${outcome.analyzer} ${outcome.version}`;
          },
        }),
      ]),
    ),
});

function scoresOf(tags: Tags): Score[] | null {
  const concepts = tagResult(tags, 'keywords');
  return (
    concepts?.map(({ labels, confidence, source }) => ({ keyword: labels[tags.lang], confidence, source })) ?? null
  );
}

const TagResult = builder.objectRef<Tags>('TagImageResponse').implement({
  description: 'Results for a picture. Null means not requested, empty means nothing found.',
  fields: (t) => ({
    caption: t.string({
      nullable: true,
      description: 'A generated caption; empty if nothing was recognized.',
      resolve: (tags) => tagResult(tags, 'caption')?.[tags.lang] ?? null,
    }),
    keywords: t.stringList({
      nullable: true,
      description: 'Keywords, the most confident first.',
      resolve: (tags) => scoresOf(tags)?.map(({ keyword }) => keyword) ?? null,
    }),
    keywordScores: t.field({
      type: [KeywordScore],
      nullable: true,
      description: 'Keywords with their confidence.',
      resolve: scoresOf,
    }),
    ocr: t.field({
      type: OcrObject,
      nullable: true,
      description: 'Text in the picture (OCR).',
      resolve: (tags) => tagResult(tags, 'ocr'),
    }),
    colors: t.field({
      type: [ColorObject],
      nullable: true,
      description: 'Dominant colors, the largest percentage first.',
      resolve: (tags) => (tagResult(tags, 'colors')?.dominant.slice() as Color[] | undefined) ?? null,
    }),
    isBw: t.boolean({
      nullable: true,
      description: 'Whether it is black and white; requested with the colors.',
      resolve: (tags) => tagResult(tags, 'colors')?.isBlackAndWhite ?? null,
    }),
  }),
});

builder.objectFields(TagResult, (t) => ({
  faces: t.field({
    type: [FaceObject],
    nullable: true,
    description: 'Faces of people.',
    resolve: (tags) => tagResult(tags, 'faces')?.slice() ?? null,
  }),
  objects: t.field({
    type: [ObjectObject],
    nullable: true,
    description: 'Detected objects, of the classes that the analyzer knows.',
    resolve: (tags) => tagResult(tags, 'objects')?.slice() ?? null,
  }),
  lang: t.exposeString('lang', { description: 'Language of caption and keywords.' }),
  mode: t.field({ type: TagMode, description: 'The requested mode.', resolve: () => 'editorial' as const }),
  model: t.field({ type: TagModels, description: 'Analyzer and version of each output.', resolve: (tags) => tags }),
  elapsedMs: t.exposeInt('elapsedMs', { description: 'Processing time in milliseconds.' }),
  warnings: t.field({
    type: ['String'],
    description:
      '`no_output_requested`, `language_unavailable`, `nothing_recognized` (there is no caption), `ocr_language_unavailable`, `fallback_used`, `caption_refused`.',
    resolve: ({ warnings }) => warnings.slice(),
  }),
}));

const outputArgs = builder.args((t) => {
  const output = (description: string) => t.boolean({ defaultValue: false, required: true, description });
  return {
    caption: output('Include a caption.'),
    keywords: output('Include keywords.'),
    ocr: output('Include text in the picture (OCR).'),
    colors: output('Include colors, and whether it is black and white.'),
    faces: output('Include faces.'),
    objects: output('Include objects.'),
  };
});

const contextArgs = builder.args((t) => {
  const known = (description: string) => t.string({ defaultValue: '', required: true, description });
  return {
    date: known('Context: when it was taken.'),
    event: known('Context: the event.'),
    city: known('Context: the city.'),
    country: known('Context: the country.'),
  };
});

builder.mutationField('tagImage', (t) =>
  t.field({
    type: TagResult,
    description: 'Analyzes one picture and returns the requested outputs. Nothing is stored.',
    args: {
      image: t.arg({ type: 'Upload', description: 'The picture. Not together with `imageUrl`.' }),
      imageUrl: t.arg.string({ description: 'Publicly reachable URL of the picture.' }),
      lang: t.arg.string({
        defaultValue: 'en',
        required: true,
        description: 'Language of caption and keywords: en, es, pt, fr or ru. Others are answered in English.',
      }),
      mode: t.arg({ type: TagMode, defaultValue: 'editorial', required: true, description: 'What tags are for.' }),
      ...contextArgs,
      ...outputArgs,
    },
    authScopes: { scope: 'imgs:tag' },
    resolve: async (_root, { image, imageUrl, lang, date, event, city, country, ...args }, context) => {
      const { services, request } = context;
      const { imageAnalyzer, readSource } = services;
      if (imageAnalyzer === undefined || readSource === undefined) {
        throw new AppError('not_implemented', 'Image analysis is disabled in this process');
      }
      const wants = (Object.keys(tagOutputs) as TagOutput[]).filter((output) => args[output]);
      const known = { date, event, city, country };
      const bytes = image == null ? null : await readUpload(image, 'image');
      const asked = { bytes, url: imageUrl ?? null, wants, lang, context: known };
      return tagImage(asked, { imageAnalyzer, readSource, tenantId: tenantOf(context).tenantId }, request.signal);
    },
  }),
);
