import type { Box, Color, Face, OcrResult, DetectedObject, TextLine } from '../../../analysis/index.ts';
import { builder } from '../builder.ts';

/** What is seen in a picture, for records and for pictures that are only tagged. */

export const BoxObject = builder.objectRef<Box>('Box').implement({
  description: 'A part of the upright picture, in shares of its width and height from the upper left corner.',
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
    box: t.expose('box', { type: BoxObject, description: 'Where it is.' }),
    confidence: t.exposeFloat('confidence', { description: '0 to 1.' }),
  }),
});

export const ObjectObject = builder.objectRef<DetectedObject>('SeenObject').implement({
  description: 'A thing.',
  fields: (t) => ({
    label: t.exposeString('label', { description: 'Its class, in English.' }),
    box: t.expose('box', { type: BoxObject, description: 'Where it is.' }),
    confidence: t.exposeFloat('confidence', { description: '0 to 1.' }),
    isConfirmed: t.boolean({
      description: 'Looks at several scales agree; only then do keywords, captions and searches name it.',
      // Analyses of earlier versions did not confirm anything.
      resolve: ({ isConfirmed }) => isConfirmed === true,
    }),
  }),
});

const TextLineObject = builder.objectRef<TextLine>('TextLine').implement({
  description: 'A line of lettering.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'As it is written.' }),
    lang: t.exposeString('lang', { description: 'Language that it was read in.' }),
    confidence: t.exposeFloat('confidence', { description: '0 to 1.' }),
    box: t.expose('box', { type: BoxObject, description: 'Where it is.' }),
  }),
});

export const OcrObject = builder.objectRef<OcrResult>('Lettering').implement({
  description: 'Lettering in a picture.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'All lines, from top to bottom.' }),
    blocks: t.field({
      type: [TextLineObject],
      description: 'The lines with their places.',
      resolve: ({ lines }) => lines.slice(),
    }),
    turned: t.int({
      description: 'How far it is turned clockwise from upright: 0, 90, 180 or 270 degrees.',
      resolve: ({ turned }) => turned,
    }),
  }),
});

export const ColorObject = builder.objectRef<Color>('Color').implement({
  description: 'A color that a good part of a picture has.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The nearest name of CSS.' }),
    hex: t.exposeString('hex', { description: '`#rrggbb`.' }),
    percent: t.exposeFloat('percent', { description: 'Share of the picture, 0 to 100.' }),
  }),
});

/** A concept in one language. */
export type Keyword = Readonly<{ label: string; confidence: number; source: string }>;

export const ConceptObject = builder.objectRef<Keyword>('Concept').implement({
  description: 'A keyword for what is seen.',
  fields: (t) => ({
    label: t.exposeString('label', { description: 'The word.' }),
    confidence: t.exposeFloat('confidence', { description: '0 to 1.' }),
    source: t.exposeString('source', { description: '`objects`, `faces`, `colours`, `embedded` or `model`.' }),
  }),
});
