import { findAnalysis } from '../../../catalog/index.ts';
import type { AiStatus, Provenance, StoredAnalysis } from '../../../catalog/index.ts';
import { shownValues } from '../../../analysis/analyzers.ts';
import type { AnalyzerName, Facts } from '../../../analysis/index.ts';
import { AiStatusEnum } from './ai-status.ts';
import { builder } from '../builder.ts';
import type { FieldBuilder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { Image } from '../records/image.ts';
import { FaceObject, OcrObject, ObjectObject } from './analysis-objects.ts';

/** Returns the stored result of an analyzer, or undefined. The version that wrote it used this type. */
export function resultOf<Name extends AnalyzerName>(
  { facts }: Pick<StoredAnalysis, 'facts'>,
  name: Name,
): Facts[Name] | undefined {
  return facts[name]?.result as Facts[Name] | undefined;
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
    ...analysisFields(t, shownValues),
  }),
});

builder.objectFields(ImageAnalysis, (t) => ({
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
