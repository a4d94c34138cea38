import { AppError } from '../../../lib/errors.ts';
import { tagImage, tagOutputs, tagResult } from '../../../tagging/index.ts';
import type { Color } from '../../../analysis/index.ts';
import type { TagOutput, Tags } from '../../../tagging/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { ColorObject, FaceObject, OcrObject, ObjectObject } from './analysis-objects.ts';
import { readUpload } from '../upload.ts';

const TagMode = builder.enumType('TagMode', {
  description: 'What tags are for.',
  values: { editorial: { description: 'Words for editors: plain, factual, nothing that is not seen.' } },
});

type Score = Readonly<{ keyword: string; confidence: number; source: string }>;

const KeywordScore = builder.objectRef<Score>('KeywordScore').implement({
  description: 'How sure a keyword is, and where it comes from.',
  fields: (t) => ({
    keyword: t.exposeString('keyword', { description: 'The word.' }),
    confidence: t.exposeFloat('confidence', { description: '0 to 1.' }),
    source: t.exposeString('source', { description: '`objects`, `faces`, `colours`, `embedded` or `model`.' }),
  }),
});

const TagModels = builder.objectRef<Tags>('TagModels').implement({
  description: 'Who made each output: analyzer and version; null where it was not asked for.',
  fields: (t) =>
    Object.fromEntries(
      (Object.keys(tagOutputs) as TagOutput[]).map((output) => [
        output,
        t.string({
          nullable: true,
          description: `Who made \`${output}\`.`,
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
  description: 'What was seen in a picture. Null is not asked for, empty is nothing found.',
  fields: (t) => ({
    caption: t.string({
      nullable: true,
      description: 'A sentence for what is seen; empty where nothing was recognized.',
      resolve: (tags) => tagResult(tags, 'caption')?.[tags.lang] ?? null,
    }),
    keywords: t.stringList({
      nullable: true,
      description: 'Keywords, the surest first.',
      resolve: (tags) => scoresOf(tags)?.map(({ keyword }) => keyword) ?? null,
    }),
    keywordScores: t.field({
      type: [KeywordScore],
      nullable: true,
      description: 'The same with how sure each is.',
      resolve: scoresOf,
    }),
    ocr: t.field({
      type: OcrObject,
      nullable: true,
      description: 'Lettering that can be read.',
      resolve: (tags) => tagResult(tags, 'ocr'),
    }),
    colors: t.field({
      type: [ColorObject],
      nullable: true,
      description: 'Dominant colors, the largest share first.',
      resolve: (tags) => (tagResult(tags, 'colors')?.colours.slice() as Color[] | undefined) ?? null,
    }),
    isBw: t.boolean({
      nullable: true,
      description: 'It is black and white; asked for with the colors.',
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
    description: 'Things, of the classes that the analyzer knows.',
    resolve: (tags) => tagResult(tags, 'objects')?.slice() ?? null,
  }),
  lang: t.exposeString('lang', { description: 'Language of caption and keywords.' }),
  mode: t.field({ type: TagMode, description: 'As asked for.', resolve: () => 'editorial' as const }),
  model: t.field({ type: TagModels, description: 'Who made each output.', resolve: (tags) => tags }),
  elapsedMs: t.exposeInt('elapsedMs', { description: 'Milliseconds that it took.' }),
  warnings: t.field({
    type: ['String'],
    description:
      '`no_output_requested`, `language_unavailable`, `nothing_recognized` (there is no caption), `ocr_language_unavailable`.',
    resolve: ({ warnings }) => warnings.slice(),
  }),
}));

const outputArgs = builder.args((t) => {
  const output = (description: string) => t.boolean({ defaultValue: false, required: true, description });
  return {
    caption: output('Ask for a caption.'),
    keywords: output('Ask for keywords.'),
    ocr: output('Ask for lettering.'),
    colors: output('Ask for colors, and whether it is black and white.'),
    faces: output('Ask for faces.'),
    objects: output('Ask for things.'),
  };
});

const contextArgs = builder.args((t) => {
  const known = (description: string) => t.string({ defaultValue: '', required: true, description });
  return {
    date: known('What is known of it: when it was taken.'),
    event: known('What is known of it: the event.'),
    city: known('What is known of it: the city.'),
    country: known('What is known of it: the country.'),
  };
});

builder.mutationField('tagImage', (t) =>
  t.field({
    type: TagResult,
    description: 'Looks at one picture and says what is asked. Nothing of it is kept.',
    args: {
      image: t.arg({ type: 'Upload', description: 'The picture. Not together with `imageUrl`.' }),
      imageUrl: t.arg.string({ description: 'Publicly reachable address of the picture.' }),
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
      const bytes = image == null ? null : await readUpload(image);
      const asked = { bytes, url: imageUrl ?? null, wants, lang, context: known };
      return tagImage(asked, { imageAnalyzer, readSource, tenantId: tenantOf(context).tenantId }, request.signal);
    },
  }),
);
