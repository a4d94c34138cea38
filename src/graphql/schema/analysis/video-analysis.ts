import { findVideoAnalysis } from '../../../catalog/index.ts';
import type { StoredFrame, StoredVideoAnalysis } from '../../../catalog/index.ts';
import { shownValues } from '../../../analysis/analyzers.ts';
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
  analysisFields,
  storedWarningsOf,
} from './image-analysis.ts';
import { ColorObject, ConceptObject } from './analysis-objects.ts';
import { Video } from '../records/video.ts';

const VideoFrame = builder.objectRef<StoredFrame>('VideoFrame').implement({
  description: 'An analyzed frame of a video.',
  fields: (t) => ({
    timeSecs: t.exposeFloat('timeSecs', { description: 'Its time in the video, in seconds.' }),
    ai: t.field({ type: ImageAnalysis, description: 'Results of its analysis.', resolve: (frame) => frame }),
  }),
});

const shownOfVideos = shownValues.flatMap((each) =>
  each.ofVideo === undefined ? [] : [{ ...each, description: each.ofVideo }],
);

const VideoAnalysis = builder.objectRef<StoredVideoAnalysis>('VideoAnalysis').implement({
  description:
    'Results of the analysis of the frames of a video. A value is null if its analyzer did not succeed on all frames, and empty if it found nothing.',
  fields: (t) => ({
    analyzedAt: t.expose('analyzedAt', { type: 'DateTime', description: 'When it was last analyzed.' }),
    text: t.string({
      nullable: true,
      description: 'Text of all frames (OCR), each line once.',
      resolve: (analysis) => resultOf(analysis, 'ocr')?.text ?? null,
    }),
    colors: t.field({
      type: [ColorObject],
      nullable: true,
      description: 'Dominant colors, with their mean percentages.',
      resolve: colorsOf,
    }),
    ...analysisFields(t, shownOfVideos),
    concepts: t.field({
      type: [ConceptObject],
      nullable: true,
      description: 'Keywords of all frames, the most confident first.',
      args: langArg,
      resolve: (analysis, { lang }) => conceptsIn(analysis, lang as Language),
    }),
    caption: t.string({
      nullable: true,
      description: 'A caption of the frame with the most content; empty if nothing was recognized.',
      args: langArg,
      resolve: (analysis, { lang }) => resultOf(analysis, 'caption')?.[lang as Language] ?? null,
    }),
    nsfw: t.float({
      nullable: true,
      description: 'Probability that its least safe frame is not safe for work, 0 to 1.',
      resolve: (analysis) => resultOf(analysis, 'nsfw')?.confidence ?? null,
    }),
    warnings: t.field({
      type: [AnalysisWarningObject],
      description: 'What the analysis could not do with the frames, and how to fix that.',
      resolve: ({ facts }) => storedWarningsOf(facts),
    }),
    analyzers: t.field({
      type: [AnalyzerObject],
      description: 'The analyzers that ran, by kind; times are sums over all frames.',
      resolve: ({ facts }) => analyzersOf(facts),
    }),
    frames: t.field({
      type: [VideoFrame],
      description: 'The analyzed frames, in order of time.',
      resolve: ({ frames }) => frames.slice(),
    }),
  }),
});

builder.objectFields(Video, (t) => ({
  ai: t.field({
    type: VideoAnalysis,
    nullable: true,
    description: 'Results of the analysis of its frames; null before it.',
    resolve: ({ rowId }, _args, context) =>
      rowId === undefined ? null : findVideoAnalysis(tenantOf(context), Number(rowId)),
  }),
  provenance: t.field({
    type: [ProvenanceObject],
    description: 'Sources of the values that the caller did not send.',
    resolve: ({ provenance }) => provenanceOf(provenance),
  }),
}));
