import { formerNameOf } from '../../../analysis/analyzers.ts';
import { nameObject } from '../../../analysis/index.ts';
import type { Box, Color, ConceptSource, DetectedObject, Face, OcrResult, TextLine } from '../../../analysis/index.ts';
import { builder, LanguageEnum } from '../builder.ts';

/** Results of analyzers, for records and for pictures that are only tagged. */

export const BoxObject = builder.objectRef<Box>('Box').implement({
  description: 'A region of the upright picture, in fractions of its width and height from the upper left corner.',
  fields: (t) => ({
    x: t.exposeFloat('x', { description: 'Left side, 0 to 1.' }),
    y: t.exposeFloat('y', { description: 'Upper side, 0 to 1.' }),
    w: t.exposeFloat('w', { description: 'Width, 0 to 1.' }),
    h: t.exposeFloat('h', { description: 'Height, 0 to 1.' }),
  }),
});

export const FaceObject = builder.objectRef<Face>('Face').implement({
  description: 'A face of a person.',
  fields: (t) => ({
    box: t.expose('box', { type: BoxObject, description: 'Its region.' }),
    confidence: t.exposeFloat('confidence', { description: '0 to 1.' }),
  }),
});

export const ObjectObject = builder.objectRef<DetectedObject>('DetectedObject').implement({
  description: 'An object in a picture.',
  fields: (t) => ({
    label: t.exposeString('label', { description: 'Its class, in English.' }),
    name: t.string({
      description: 'Its class, in a language.',
      args: { lang: t.arg({ type: LanguageEnum, required: true, description: 'Language of the name.' }) },
      resolve: ({ label }, { lang }) => nameObject(label, lang),
    }),
    box: t.expose('box', { type: BoxObject, description: 'Its region.' }),
    confidence: t.exposeFloat('confidence', { description: '0 to 1.' }),
    isConfirmed: t.boolean({
      description: 'Detections at several scales agree; only then is it used in keywords, captions and searches.',
      // Analyses of earlier versions did not confirm anything.
      resolve: ({ isConfirmed }) => isConfirmed === true,
    }),
  }),
});

const TextLineObject = builder.objectRef<TextLine>('TextLine').implement({
  description: 'A line of text in a picture.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'As it is written.' }),
    lang: t.exposeString('lang', { description: 'Language of the text.' }),
    confidence: t.exposeFloat('confidence', { description: '0 to 1.' }),
    box: t.expose('box', { type: BoxObject, description: 'Its region.' }),
  }),
});

export const OcrObject = builder.objectRef<OcrResult>('OcrResult').implement({
  description: 'Text in a picture (OCR).',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'All lines, from top to bottom.' }),
    blocks: t.field({
      type: [TextLineObject],
      description: 'The lines with their positions.',
      resolve: ({ lines }) => lines.slice(),
    }),
    turned: t.int({
      description: 'Clockwise rotation from upright: 0, 90, 180 or 270 degrees.',
      resolve: ({ turned }) => turned,
    }),
  }),
});

export const ColorObject = builder.objectRef<Color>('Color').implement({
  description: 'A dominant color of a picture.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The nearest CSS color name.' }),
    hex: t.exposeString('hex', { description: '`#rrggbb`.' }),
    percent: t.exposeFloat('percent', { description: 'Percentage of the picture, 0 to 100.' }),
  }),
});

/** A concept in one language. */
export type Keyword = Readonly<{ label: string; confidence: number; source: ConceptSource }>;

export const ConceptObject = builder.objectRef<Keyword>('Concept').implement({
  description: 'A generated keyword.',
  fields: (t) => ({
    label: t.exposeString('label', { description: 'The word.' }),
    confidence: t.exposeFloat('confidence', { description: '0 to 1.' }),
  }),
});

/** A generated keyword, in the form that tags use. */
export type Score = Readonly<{ keyword: string; confidence: number; source: ConceptSource }>;

export const KeywordScore = builder.objectRef<Score>('KeywordScore').implement({
  description: 'Confidence and origin of a keyword.',
  fields: (t) => ({
    keyword: t.exposeString('keyword', { description: 'The word.' }),
    confidence: t.exposeFloat('confidence', { description: '0 to 1.' }),
  }),
});

for (const keyword of [ConceptObject, KeywordScore] as const) {
  builder.objectFields(keyword, (t) => ({
    origin: t.string({
      description: '`objects`, `faces`, `colors`, `embedded` or `model`.',
      resolve: ({ source }) => source,
    }),
    source: t.string({
      description: 'The same, but `colours` for `colors`.',
      deprecationReason: 'Use origin.',
      resolve: ({ source }) => formerNameOf(source),
    }),
  }));
}
