import { findVideoAnalysis } from '../../../catalog/index.ts';
import type { StoredFrame, StoredVideoAnalysis } from '../../../catalog/index.ts';
import type { Language } from '../../../analysis/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import {
  AnalysisWarningObject,
  AnalyzerObject,
  analyzersOf,
  colorsOf,
  conceptsIn,
  ImageAnalysis,
  langArg,
  ProvenanceObject,
  provenanceOf,
  resultOf,
  warningsOf,
} from './image-analysis.ts';
import { ColorObject, ConceptObject } from './analysis-objects.ts';
import { Video } from '../records/video.ts';

const VideoFrame = builder.objectRef<StoredFrame>('VideoFrame').implement({
  description: 'A frame of a video that was looked at.',
  fields: (t) => ({
    timeSecs: t.exposeFloat('timeSecs', { description: 'When it is shown, in seconds.' }),
    ai: t.field({ type: ImageAnalysis, description: 'What was seen in it.', resolve: (frame) => frame }),
  }),
});

const VideoAnalysis = builder.objectRef<StoredVideoAnalysis>('VideoAnalysis').implement({
  description:
    'What was seen in frames of a video. A value is null where its analyzer has not worked on all of them, and empty where it found nothing.',
  fields: (t) => ({
    analyzedAt: t.expose('analyzedAt', { type: 'DateTime', description: 'When it was analyzed last.' }),
    text: t.string({
      nullable: true,
      description: 'Lettering of all frames, each line once.',
      resolve: (analysis) => resultOf(analysis, 'text')?.text ?? null,
    }),
    colors: t.field({
      type: [ColorObject],
      nullable: true,
      description: 'Dominant colors, with the mean of their shares.',
      resolve: colorsOf,
    }),
    isBw: t.boolean({
      nullable: true,
      description: 'Every frame is black and white.',
      resolve: (analysis) => resultOf(analysis, 'colours')?.isBlackAndWhite ?? null,
    }),
    concepts: t.field({
      type: [ConceptObject],
      nullable: true,
      description: 'Keywords for what is seen in any frame, the surest first.',
      args: langArg,
      resolve: (analysis, { lang }) => conceptsIn(analysis, lang as Language),
    }),
    caption: t.string({
      nullable: true,
      description: 'A sentence for the frame in which most is seen; empty where nothing was recognized.',
      args: langArg,
      resolve: (analysis, { lang }) => resultOf(analysis, 'caption')?.[lang as Language] ?? null,
    }),
    nsfw: t.float({
      nullable: true,
      description: 'How likely its least safe frame is unsafe for work, 0 to 1.',
      resolve: (analysis) => resultOf(analysis, 'nsfw')?.confidence ?? null,
    }),
    warnings: t.field({
      type: [AnalysisWarningObject],
      description: 'What could not be seen in the frames, and what would help.',
      resolve: ({ facts }) => warningsOf(facts),
    }),
    analyzers: t.field({
      type: [AnalyzerObject],
      description: 'Who has worked on it, by name; times are of all frames together.',
      resolve: ({ facts }) => analyzersOf(facts),
    }),
    frames: t.field({
      type: [VideoFrame],
      description: 'The frames that were looked at, in the order of time.',
      resolve: ({ frames }) => frames.slice(),
    }),
  }),
});

builder.objectFields(Video, (t) => ({
  ai: t.field({
    type: VideoAnalysis,
    nullable: true,
    description: 'What was seen in its frames; null before the analysis.',
    resolve: ({ rowId }, _args, context) => findVideoAnalysis(tenantOf(context), Number(rowId)),
  }),
  provenance: t.field({
    type: [ProvenanceObject],
    description: "Where values come from that the caller did not send; every other value is the caller's.",
    resolve: ({ provenance }) => provenanceOf(provenance),
  }),
}));
