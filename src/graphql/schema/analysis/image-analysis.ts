import { findAnalysis } from '../../../catalog/index.ts';
import type { AiStatus, Provenance, StoredAnalysis, StoredOutcome } from '../../../catalog/index.ts';
import { formerNameOf, shownValues } from '../../../analysis/analyzers.ts';
import type { AnalyzerName, Color, Facts, Language } from '../../../analysis/index.ts';
import { AiStatusEnum } from './ai-status.ts';
import { builder, LanguageEnum } from '../builder.ts';
import type { FieldBuilder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { Image } from '../records/image.ts';
import { ColorObject, ConceptObject, FaceObject, OcrObject, ObjectObject } from './analysis-objects.ts';

/** Returns the stored result of an analyzer, or undefined. The version that wrote it used this type. */
export function resultOf<Name extends AnalyzerName>(
  { facts }: Pick<StoredAnalysis, 'facts'>,
  name: Name,
): Facts[Name] | undefined {
  return facts[name]?.result as Facts[Name] | undefined;
}

/** Returns the dominant colors of a picture, or of all frames of a video; null if they were not analyzed. */
export function colorsOf(analysis: Pick<StoredAnalysis, 'facts'>): Color[] | null {
  return (resultOf(analysis, 'colors')?.dominant.slice() as Color[] | undefined) ?? null;
}

/** Returns concepts with their label in one language; null if they were not analyzed. */
export function conceptsIn(analysis: Pick<StoredAnalysis, 'facts'>, lang: Language) {
  const concepts = resultOf(analysis, 'concepts');
  return concepts?.map(({ labels, ...concept }) => ({ ...concept, label: labels[lang] })) ?? null;
}

type NamedOutcome = StoredOutcome & Readonly<{ kind: string }>;

export const AnalyzerObject = builder.objectRef<NamedOutcome>('Analyzer').implement({
  description: 'An analyzer that ran, and its outcome.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'The kind of result: faces, ocr, embedding, …' }),
    name: t.string({
      description: 'The former name of the kind: `text`, `colours` and `likeness` for ocr, colors and localFeatures.',
      deprecationReason: 'Use kind.',
      resolve: ({ kind }) => formerNameOf(kind),
    }),
    analyzer: t.exposeString('analyzer', { description: '`builtin`, or provider and model.' }),
    version: t.exposeString('version', { description: 'Version of the analyzer.' }),
    milliseconds: t.exposeFloat('milliseconds', { description: 'Processing time in milliseconds.' }),
    isOk: t.boolean({ description: 'Whether it succeeded.', resolve: ({ error }) => error === undefined }),
    errorCode: t.string({
      nullable: true,
      description: '`failed`, `timeout`, `crashed`, `out_of_memory`, `not_available` or `budget_spent`.',
      resolve: ({ error }) => error?.code ?? null,
    }),
    errorMessage: t.string({
      nullable: true,
      description: 'Error message.',
      resolve: ({ error }) => error?.message ?? null,
    }),
  }),
});

type NamedWarning = Readonly<{ analyzer: string; code: string; message: string }>;

export const AnalysisWarningObject = builder.objectRef<NamedWarning>('AnalysisWarning').implement({
  description: 'What an analysis could not do, and how to fix that.',
  fields: (t) => ({
    analyzer: t.exposeString('analyzer', { description: 'The analyzer concerned: ocr, caption, …' }),
    code: t.exposeString('code', {
      description: '`nothing_recognized`, `ocr_language_unavailable`, `fallback_used` or `caption_refused`.',
    }),
    message: t.exposeString('message', { description: 'The same for people.' }),
  }),
});

/** Returns warnings about results, each with its analyzer. */
export function storedWarningsOf(facts: StoredAnalysis['facts']): NamedWarning[] {
  return analyzersOf(facts).flatMap(({ kind, warnings = [] }) => warnings.map((each) => ({ analyzer: kind, ...each })));
}

const EmbeddedFieldObject = builder
  .objectRef<Readonly<{ field: string; values: string[] }>>('EmbeddedField')
  .implement({
    description: 'Metadata embedded in the file (EXIF, IPTC, XMP).',
    fields: (t) => ({
      field: t.exposeString('field', { description: 'Field of the record that it maps to.' }),
      values: t.exposeStringList('values', { description: 'Its values; one, except for lists.' }),
    }),
  });

export const ProvenanceObject = builder
  .objectRef<Provenance & Readonly<{ field: string }>>('FieldProvenance')
  .implement({
    description: 'The source of a field value that the caller did not send.',
    fields: (t) => ({
      field: t.exposeString('field', { description: 'The field.' }),
      source: t.exposeString('source', { description: '`file` or `analyzer`.' }),
      analyzer: t.exposeString('analyzer', { description: '`builtin`, or provider and model.' }),
      version: t.exposeString('version', { description: 'Version of the analyzer.' }),
      confidence: t.exposeFloat('confidence', { nullable: true, description: '0 to 1; null if unknown.' }),
    }),
  });

/** Returns the provenance of a record as a list. */
export function provenanceOf(provenance: unknown): (Provenance & Readonly<{ field: string }>)[] {
  const entries = Object.entries((provenance ?? {}) as Record<string, Provenance>);
  return entries.map(([field, origin]) => ({ field, ...origin }));
}

/** Returns the analyzers that ran, sorted by kind of result. */
export function analyzersOf(facts: StoredAnalysis['facts']): NamedOutcome[] {
  const all = Object.entries(facts).map(([kind, outcome]) => ({ kind, ...outcome }));
  return all.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
}

export const langArg = builder.args((t) => ({
  lang: t.field({ type: LanguageEnum, defaultValue: 'en', required: true, description: 'Language of the words.' }),
}));

/** Returns the fields for values that the table of analyzers exposes. */
export function analysisFields<Analysis extends Pick<StoredAnalysis, 'facts'>>(
  t: FieldBuilder<Analysis>,
  values: typeof shownValues,
) {
  return Object.fromEntries(
    values.map(({ name, type, description, analyzer, value }) => [
      name,
      t.field({
        type: type as 'String',
        nullable: true,
        description,
        resolve: (analysis) => {
          const result = resultOf(analysis as Analysis, analyzer);
          return result === undefined ? null : (value(result) as string);
        },
      }),
    ]),
  );
}

export const ImageAnalysis = builder.objectRef<StoredAnalysis>('ImageAnalysis').implement({
  description:
    'Results of the analysis of a picture. A list is null if its analyzer did not run or failed, and empty if it found nothing.',
  fields: (t) => ({
    analyzedAt: t.expose('analyzedAt', { type: 'DateTime', description: 'When it was last analyzed.' }),
    faces: t.field({
      type: [FaceObject],
      nullable: true,
      description: 'Faces of people.',
      resolve: (analysis) => resultOf(analysis, 'faces')?.slice() ?? null,
    }),
    objects: t.field({
      type: [ObjectObject],
      nullable: true,
      description: 'Detected objects, of the classes that the analyzer knows.',
      resolve: (analysis) => resultOf(analysis, 'objects')?.slice() ?? null,
    }),
    text: t.field({
      type: OcrObject,
      nullable: true,
      description: 'Text in the picture (OCR).',
      resolve: (analysis) => resultOf(analysis, 'ocr') ?? null,
    }),
    colors: t.field({
      type: [ColorObject],
      nullable: true,
      description: 'Dominant colors, the largest percentage first.',
      resolve: colorsOf,
    }),
    ...analysisFields(t, shownValues),
  }),
});

builder.objectFields(ImageAnalysis, (t) => ({
  concepts: t.field({
    type: [ConceptObject],
    nullable: true,
    description: 'Generated keywords, the most confident first.',
    args: langArg,
    resolve: (analysis, { lang }) => conceptsIn(analysis, lang as Language),
  }),
  caption: t.string({
    nullable: true,
    description:
      'A generated caption; empty if nothing was recognized, null in languages that the model does not write.',
    args: langArg,
    resolve: (analysis, { lang }) => resultOf(analysis, 'caption')?.[lang as Language] ?? null,
  }),
  nsfw: t.float({
    nullable: true,
    description: 'Probability that it is not safe for work, 0 to 1.',
    resolve: (analysis) => resultOf(analysis, 'nsfw')?.confidence ?? null,
  }),
  pdq: t.exposeString('pdq', { nullable: true, description: 'Perceptual hash PDQ, 64 hexadecimal digits.' }),
  pdqQuality: t.exposeInt('pdqQuality', {
    nullable: true,
    description: 'Quality of the hash, 0 to 100; below 50 it is unreliable.',
  }),
  embedded: t.field({
    type: [EmbeddedFieldObject],
    nullable: true,
    description: 'Metadata embedded in the file.',
    resolve: (analysis) => {
      const fields = resultOf(analysis, 'embedded');
      if (fields === undefined) return null;
      return Object.entries(fields).map(([field, value]) => ({ field, values: [value].flat().map(String) }));
    },
  }),
  warnings: t.field({
    type: [AnalysisWarningObject],
    description: 'What the analysis could not do, and how to fix that.',
    resolve: ({ facts }) => storedWarningsOf(facts),
  }),
  analyzers: t.field({
    type: [AnalyzerObject],
    description: 'The analyzers that ran, by kind.',
    resolve: ({ facts }) => analyzersOf(facts),
  }),
}));

builder.objectFields(Image, (t) => ({
  id: t.id({
    description: 'The identifier under the name that client caches use.',
    // Selected under this name (`catalog/read-records.ts`); the table of fields has it only for videos.
    resolve: (row) => (row as { id?: string }).id ?? '',
  }),
  aiStatus: t.field({
    type: AiStatusEnum,
    nullable: true,
    description: 'State of the analysis; null if none was requested.',
    resolve: ({ aiStatus }) => (aiStatus ?? null) as AiStatus | null,
  }),
  ai: t.field({
    type: ImageAnalysis,
    nullable: true,
    description: 'Results of the analysis; null before it.',
    resolve: ({ rowId }, _args, context) =>
      rowId === undefined ? null : findAnalysis(tenantOf(context), Number(rowId)),
  }),
  provenance: t.field({
    type: [ProvenanceObject],
    description: 'Sources of the values that the caller did not send.',
    resolve: ({ provenance }) => provenanceOf(provenance),
  }),
}));
